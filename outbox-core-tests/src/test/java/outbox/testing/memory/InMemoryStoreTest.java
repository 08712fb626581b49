package outbox.testing.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.store.EventStoreContract;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore;
import outbox.testing.SettableClock;

class InMemoryStoreTest extends EventStoreContract {
  private SettableClock clock = new SettableClock();
  private InMemoryEventStore store = new InMemoryEventStore(clock);

  @Override
  public LeasedEventStore store() {
    return store;
  }

  @Override
  public LeasedEventStore deletingStore() {
    return store.deletingWhenDone();
  }

  @Override
  public Connection open() throws SQLException {
    return store.connections().getConnection();
  }

  @Override
  public Connection open(String zoneOffset) throws SQLException {
    return open();
  }

  @Override
  public void advance(Duration by) {
    clock.advance(by);
  }

  @Override
  public void stopAt(Instant instant) {
    clock.set(instant);
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public Optional<Row> row(String eventId) {
    return store.find(eventId).map(InMemoryStoreTest::view);
  }

  static Row view(StoredEvent row) {
    return new Row(
        row.status(),
        row.event().attempts(),
        row.availableAt(),
        row.event().createdAt(),
        row.doneAt(),
        row.owner(),
        row.leaseExpiries(),
        row.processedBy(),
        row.lastError(),
        row.event().idempotencyKey(),
        row.listeners());
  }

  @Override
  public void insertByOldVersion(String eventId, @Nullable String headersJson) {
    OutboxEvent event = oldVersion(eventId, headersJson, now());
    StoredEvent row =
        new StoredEvent(
            event,
            EventStatus.NEW,
            now(),
            null,
            0,
            0,
            null,
            null,
            null,
            null,
            StoredEvent.Replays.NONE);
    call(
        connection -> {
          store.insertRow(connection, row);
          return row;
        });
  }

  static OutboxEvent oldVersion(String eventId, @Nullable String headersJson, Instant now) {
    return OutboxEvent.builder(eventId, "Old", now)
        .payloadJson("{\"old\":1}")
        .headersJson(headersJson)
        .build();
  }

  @Test
  @Spec("IDEM-64")
  void anEventIsSeenByTheNodesOfItsOwnStoreOnly() {
    InMemoryEventStore otherNode = new InMemoryEventStore(clock);
    call(
        connection -> {
          store.insertNew(
              connection, EventEnvelope.builder("Type").eventId("here").payloadJson("{}").build());
          return connection;
        });

    assertThat(store.find("here")).isPresent();
    assertThat(otherNode.find("here")).isEmpty();
    assertThat(otherNode.connections().<Boolean>inAutoCommit(otherNode::mayHaveDue)).isFalse();
  }

  @Override
  protected void reset() {
    clock = new SettableClock();
    store = new InMemoryEventStore(clock);
  }
}

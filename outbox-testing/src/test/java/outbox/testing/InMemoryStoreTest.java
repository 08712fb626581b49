package outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore;

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
        row.event().idempotencyKey());
  }

  @Override
  public void insertByOldVersion(String eventId, @Nullable String headersJson) {
    OutboxEvent event = oldVersion(eventId, headersJson, now());
    StoredEvent row =
        new StoredEvent(
            event, EventStatus.NEW, now(), null, 0, 0, null, null, null, StoredEvent.Replays.NONE);
    call(
        connection -> {
          store.insertRow(connection, row);
          return row;
        });
  }

  static OutboxEvent oldVersion(String eventId, @Nullable String headersJson, Instant now) {
    return new OutboxEvent(
        eventId,
        "Old",
        null,
        null,
        null,
        null,
        null,
        "{\"old\":1}",
        null,
        headersJson,
        0,
        null,
        null,
        null,
        now);
  }

  @Override
  protected void reset() {
    clock = new SettableClock();
    store = new InMemoryEventStore(clock);
  }
}

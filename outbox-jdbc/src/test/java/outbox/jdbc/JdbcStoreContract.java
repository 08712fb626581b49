package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import outbox.EventEnvelope;
import outbox.contracts.store.EventStoreContract;
import outbox.contracts.support.Spec;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Failure;

/** The contract on a database of its own; subclasses say {@link On} which. */
abstract class JdbcStoreContract extends EventStoreContract {
  @SuppressWarnings("NullAway.Init")
  private static StoreOnDatabase fixture;

  @BeforeAll
  static void deploy(TestInfo test) {
    fixture = StoreOnDatabase.of(test);
  }

  @AfterAll
  static void drop() {
    if (fixture != null) {
      fixture.close();
    }
  }

  @Test
  @Spec("IDEM-65")
  void aPurgedPayloadIsInNoColumn() {
    insert("text");
    insert(EventEnvelope.builder("Type").eventId("bytes").payloadBytes(new byte[1]).build());
    insertByOldVersion("old", null);
    String[] ids = {"text", "bytes", "old"};
    claimById("me", ids);
    ack("me", ids);
    assertThat(ids).allSatisfy(id -> assertThat(fixture.payloads(id)).isNotEmpty());
    advance(Duration.ofDays(2));

    int purged = call(connection -> store().purgePayloads(connection, Duration.ofDays(1), 10));

    assertThat(purged).isEqualTo(3);
    assertThat(ids).allSatisfy(id -> assertThat(fixture.payloads(id)).isEmpty());
  }

  /** Which sets nothing but the status. */
  @Test
  void noTransitionTouchesWhatVersion1EndedUnderALease() {
    for (int status : List.of(1, 3)) {
      String id = "status-" + status;
      insert(id);
      claimById("me", id);
      fixture.execute(
          "UPDATE outbox_event SET status = " + status + " WHERE event_id = '" + id + "'");
      Row before = stored(id);
      Failure failure = new Failure(id, Duration.ZERO, "broken");

      assertThat(renew("me", id)).isEmpty();
      assertThat(markStarted("me", id)).isEmpty();
      assertThat(defer("me", Duration.ZERO, id)).isEmpty();
      assertThat(abandon("me", failure)).isEmpty();
      assertThat(fail("me", failure)).isEmpty();
      assertThat(ack("me", id)).isEmpty();
      assertThat(stored(id)).isEqualTo(before);
    }
  }

  @Override
  public final LeasedEventStore store() {
    return fixture.store();
  }

  @Override
  public final LeasedEventStore deletingStore() {
    return fixture.deletingStore();
  }

  @Override
  public final Connection open() throws SQLException {
    return fixture.entered().dataSource().getConnection();
  }

  @Override
  public final Connection open(String zoneOffset) throws SQLException {
    return fixture.entered().connect(zoneOffset);
  }

  @Override
  public final void advance(Duration by) {
    fixture.advance(by);
  }

  @Override
  public final void stopAt(Instant instant) {
    fixture.stopAt(instant);
  }

  @Override
  public final Instant now() {
    return fixture.now();
  }

  @Override
  public final Optional<Row> row(String eventId) {
    return fixture.row(eventId);
  }

  @Override
  public final void insertByOldVersion(String eventId, @Nullable String headersJson) {
    fixture.insertByOldVersion(eventId, headersJson);
  }

  @Override
  protected final void reset() {
    fixture.reset();
  }
}

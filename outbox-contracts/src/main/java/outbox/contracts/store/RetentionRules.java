package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore.Failure;

/** What is removed of events that have ended, when, and what never is. */
interface RetentionRules extends StoreUnderTest {
  Duration WEEK = Duration.ofDays(7);

  @Test
  @Spec("IDEM-65")
  default void completedEventsGoAfterTheirTimeAndNotBefore() {
    complete("old");
    advance(Duration.ofDays(5));
    complete("young");
    advance(Duration.ofDays(3));

    assertThat(purgeDone(WEEK, 100)).isEqualTo(1);

    assertThat(row("old")).isEmpty();
    assertThat(stored("young").status()).isEqualTo(EventStatus.DONE);
    assertThat(purgeDone(WEEK, 100)).isZero();
  }

  @Test
  @Spec("IDEM-65")
  default void thePayloadGoesFirstAndTheRowStays() {
    complete("old");
    advance(Duration.ofDays(3));

    assertThat(purgePayloads(Duration.ofDays(2), 100)).isEqualTo(1);
    assertThat(purgePayloads(Duration.ofDays(2), 100)).isZero();
    assertThat(purgeDone(WEEK, 100)).isZero();
    assertThat(stored("old").status()).isEqualTo(EventStatus.DONE);

    advance(Duration.ofDays(5));
    assertThat(purgeDone(WEEK, 100)).isEqualTo(1);
    assertThat(row("old")).isEmpty();
  }

  @Test
  @Spec("IDEM-65")
  default void whatIsLiveOrDeadIsNeverTakenForCompleted() {
    insert("new", "retried", "held", "dead");
    claimById("me", "retried", "held", "dead");
    abandon("me", new Failure("retried", Duration.ZERO, "busy"));
    fail("me", new Failure("dead", Duration.ZERO, "broken"));
    advance(Duration.ofDays(1000));

    assertThat(purgePayloads(Duration.ZERO, 100)).isZero();
    assertThat(purgeDone(Duration.ZERO, 100)).isZero();

    assertThat(List.of(stored("new"), stored("retried"), stored("held")))
        .allMatch(row -> row.status().isLive());
    assertThat(stored("dead").status()).isEqualTo(EventStatus.DEAD);
  }

  @Test
  @Spec("IDEM-30")
  default void deadEventsHaveATimeOfTheirOwn() {
    insert("dead", "waiting");
    complete("done");
    advance(Duration.ofDays(20));
    claimById("me", "dead");
    fail("me", new Failure("dead", Duration.ZERO, "broken"));
    advance(Duration.ofDays(10));

    assertThat(purgeDead(Duration.ofDays(11), 100)).isZero();
    advance(Duration.ofDays(2));
    assertThat(purgeDead(Duration.ofDays(11), 100)).isEqualTo(1);

    assertThat(row("dead")).isEmpty();
    assertThat(stored("waiting").status()).isEqualTo(EventStatus.NEW);
    assertThat(stored("done").status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  default void aPurgeTakesNoMoreThanItsLimit() {
    String[] ids = IntStream.range(0, 7).mapToObj(i -> "m" + i).toArray(String[]::new);
    complete(ids);
    advance(Duration.ofDays(8));

    assertThat(purgePayloads(WEEK, 3)).isEqualTo(3);
    assertThat(purgeDone(WEEK, 5)).isEqualTo(5);
    assertThat(purgeDone(WEEK, 5)).isEqualTo(2);
    assertThat(purgeDone(WEEK, 5)).isZero();
  }

  @Test
  default void aPurgeNeitherWaitsNorIsWaitedFor() throws Exception {
    complete("locked", "free");
    insert("waiting");
    advance(Duration.ofDays(8));
    try (Connection other = open()) {
      beginAtReadCommitted(other);
      assertThat(store().purgeDone(other, WEEK, 1)).isEqualTo(1);

      assertThat(purgeDone(WEEK, 100)).isEqualTo(1);
      insert(EventEnvelope.ofJson("Type", "{}"));
      assertThat(claimIds("me")).hasSize(2).contains("waiting");
      other.rollback();
    }
    assertThat(purgeDone(WEEK, 100)).isEqualTo(1);
  }

  /** As the store does for itself: at REPEATABLE READ, MariaDB locks the gaps as well. */
  private static void beginAtReadCommitted(Connection connection) throws SQLException {
    if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }
    connection.setAutoCommit(false);
  }

  @Test
  default void payloadsAndDeadEventsThatAreLockedAreLeftForTheNextTime() throws Exception {
    complete("done", "done too");
    insert("dead", "dead too");
    claimById("me", "dead", "dead too");
    fail("me", failure("dead"), failure("dead too"));
    advance(Duration.ofDays(8));
    try (Connection other = open()) {
      beginAtReadCommitted(other);
      store().purgePayloads(other, WEEK, 1);
      store().purgeDead(other, WEEK, 1);

      assertThat(purgePayloads(WEEK, 100)).isEqualTo(1);
      assertThat(purgeDead(WEEK, 100)).isEqualTo(1);
      other.rollback();
    }
    assertThat(purgePayloads(WEEK, 100)).isEqualTo(1);
    assertThat(purgeDead(WEEK, 1)).isEqualTo(1);
  }

  @Test
  default void aPurgeOfDeadEventsTakesNoMoreThanItsLimit() {
    insert("a", "b", "c");
    claimById("me", "a", "b", "c");
    fail("me", failure("a"), failure("b"), failure("c"));
    advance(Duration.ofDays(8));

    assertThat(purgeDead(WEEK, 2)).isEqualTo(2);
    assertThat(purgeDead(WEEK, 2)).isEqualTo(1);
  }

  private Failure failure(String id) {
    return new Failure(id, Duration.ZERO, "broken");
  }

  private void complete(String... ids) {
    insert(ids);
    claimById("me", ids);
    assertThat(ack("me", ids)).hasSize(ids.length);
  }

  private int purgePayloads(Duration age, int limit) {
    return call(connection -> store().purgePayloads(connection, age, limit));
  }

  private int purgeDone(Duration age, int limit) {
    return call(connection -> store().purgeDone(connection, age, limit));
  }

  private int purgeDead(Duration age, int limit) {
    return call(connection -> store().purgeDead(connection, age, limit));
  }
}

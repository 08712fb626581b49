package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.admin.metrics.Count;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.HealthThresholds;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.contracts.support.Spec;
import outbox.join.JoinCoordinator;
import outbox.metrics.Activity;

/** How far a snapshot counts: as far as a limit of health needs it. */
abstract class CountingRules {
  private static final int DOUBLED = 10;

  abstract Workshop shop();

  @Test
  @Spec({"IDEM-44", "IDEM-56"})
  void aBacklogBeyondTheFirstLimitIsDegraded() {
    for (int i = 0; i < 12; i++) {
      shop().pending("A");
    }
    multiply();
    MetricsSnapshot snapshot = shop().operated().snapshot();
    assertThat(snapshot.backlog()).isEqualTo(Count.exactly(12 << DOUBLED));
    assertThat(Health.of(snapshot, HealthThresholds.DEFAULT).status())
        .isEqualTo(Health.Status.DEGRADED);
  }

  @Test
  @Spec({"IDEM-44", "IDEM-56"})
  void countingGoesAsFarAsTheLargestLimit() {
    for (int i = 0; i < 32; i++) {
      shop().pending("A");
    }
    multiply();
    HealthThresholds limits = HealthThresholds.DEFAULT.withBacklog(6_000, 25_000);
    MetricsSnapshot snapshot = shop().operated().snapshot(limits);
    assertThat(snapshot.backlog().value()).isGreaterThan(25_000);
    assertThat(Health.of(snapshot, limits).status()).isEqualTo(Health.Status.UNHEALTHY);
    HealthThresholds high = HealthThresholds.DEFAULT.withBacklog(32 << DOUBLED, Long.MAX_VALUE);
    assertThat(Health.of(shop().operated().snapshot(high), high).status())
        .isEqualTo(Health.Status.DEGRADED);
    HealthThresholds higher =
        HealthThresholds.DEFAULT.withBacklog((32 << DOUBLED) + 1, Long.MAX_VALUE);
    MetricsSnapshot whole = shop().operated().snapshot(higher);
    assertThat(whole.backlog()).isEqualTo(Count.exactly(32 << DOUBLED));
  }

  @Test
  void deadLettersAreCountedAsFarAsTheirLimit() {
    for (int i = 0; i < 6; i++) {
      shop().dead("A", "broken");
    }
    multiply();
    HealthThresholds limits = HealthThresholds.DEFAULT.withDead(5_000, 6_000);
    MetricsSnapshot snapshot = shop().operated().snapshot(limits);
    assertThat(Health.of(snapshot, limits).status()).isEqualTo(Health.Status.UNHEALTHY);
    HealthThresholds high = HealthThresholds.DEFAULT.withDead(1, 10_000);
    assertThat(shop().operated().snapshot(high).dead()).isEqualTo(Count.exactly(6 << DOUBLED));
  }

  @Test
  @Spec({"IDEM-44", "IDEM-46"})
  void leasedMessagesBelongToTheBacklogAndScheduledOnesDoNot() {
    for (int i = 0; i < 5; i++) {
      shop().leased("A");
      shop().retried("B", "no route");
    }
    multiply();
    shop()
        .database()
        .execute(
            "UPDATE outbox_event SET created_at = "
                + shop().minutesAgo(10)
                + " WHERE event_type = 'A'");
    MetricsSnapshot snapshot = shop().operated().snapshot();
    assertThat(snapshot.oldestAge()).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(15));
    assertThat(snapshot.backlog()).isEqualTo(Count.exactly(5 << DOUBLED));
    assertThat(snapshot.leased()).isEqualTo(Count.exactly(5 << DOUBLED));
    assertThat(snapshot.scheduled().value()).isBetween(1L, 5L << DOUBLED);
  }

  /** Those that are read ended within the last half of the window. */
  @Test
  @Spec("IDEM-47")
  void moreThanAreReadCountAtTheRateOfThoseThatAre() {
    for (int i = 0; i < 5; i++) {
      shop().done("A");
    }
    multiply();
    shop().database().execute("UPDATE outbox_event SET done_at = " + shop().minutesAgo(30));
    Duration hour = Duration.ofHours(1);
    Activity activity =
        OperatedDatabase.builder("orders", shop().database().dataSource())
            .window(hour)
            .build()
            .snapshot()
            .activity();

    assertThat(activity.window()).isEqualTo(hour);
    assertThat(activity.processed()).isBetween(7_600L, 8_000L);
  }

  @Test
  void noNumberOfWaitsInFrontHidesTheOldestMessage() {
    for (int i = 0; i < 5; i++) {
      shop().pending(JoinCoordinator.DEFAULT_WAIT_TOPIC);
    }
    multiply();
    shop().database().execute("UPDATE outbox_event SET available_at = " + shop().minutesAgo(60));
    String last = shop().pending("A");
    shop()
        .database()
        .execute(
            "UPDATE outbox_event SET created_at = "
                + shop().minutesAgo(30)
                + " WHERE event_id = '"
                + last
                + "'");
    MetricsSnapshot snapshot = shop().operated().snapshot();
    assertThat(snapshot.backlog()).isEqualTo(Count.exactly(1));
    assertThat(snapshot.oldestAge()).isBetween(Duration.ofMinutes(30), Duration.ofMinutes(35));
  }

  /** So many times as many of the same. */
  private void multiply() {
    for (char each = 'a'; each < 'a' + DOUBLED; each++) {
      shop()
          .database()
          .execute(
              "INSERT INTO outbox_event (event_id, event_type, payload_text, status, attempts,"
                  + " available_at, created_at, due_at, owner_token, last_error, idempotency_key,"
                  + " kept) SELECT CONCAT(event_id, '"
                  + each
                  + "'), event_type, payload_text, status, attempts, available_at, created_at,"
                  + " due_at, owner_token, last_error, CONCAT(event_id, '"
                  + each
                  + "'), kept FROM outbox_event");
    }
  }
}

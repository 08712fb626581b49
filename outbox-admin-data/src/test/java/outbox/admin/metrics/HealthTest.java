package outbox.admin.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.admin.metrics.Health.Status;
import outbox.admin.metrics.QueueFacts.Tally;
import outbox.contracts.support.Spec;
import outbox.metrics.Activity;

class HealthTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final HealthThresholds LIMITS =
      HealthThresholds.DEFAULT
          .withBacklog(100, 1000)
          .withDead(5, 50)
          .withOldestAge(Duration.ofSeconds(30), Duration.ofSeconds(300))
          .withFailureRatio(0.2, 0.6);

  @Test
  @Spec({"IDEM-56", "IDEM-86"})
  void isOkBelowAllLimits() {
    assertThat(health(99, 4, Duration.ofSeconds(29), 19))
        .isEqualTo(new Health(Status.OK, List.of()));
  }

  @Test
  @Spec({"IDEM-56", "IDEM-86"})
  void isDegradedFromTheFirstLimitOn() {
    assertThat(health(100, 0, Duration.ZERO, 0))
        .isEqualTo(
            new Health(Status.DEGRADED, List.of("a backlog of 100 messages (degraded from 100)")));
    assertThat(health(1, 5, Duration.ZERO, 0).status()).isEqualTo(Status.DEGRADED);
    assertThat(health(1, 0, Duration.ofSeconds(30), 0).status()).isEqualTo(Status.DEGRADED);
    assertThat(health(1, 0, Duration.ZERO, 20).status()).isEqualTo(Status.DEGRADED);
  }

  @Test
  @Spec({"IDEM-56", "IDEM-86"})
  void isUnhealthyFromTheSecondLimitOnAndTheWorstDecides() {
    Health health = health(100, 0, Duration.ofMinutes(5), 0);
    assertThat(health.status()).isEqualTo(Status.UNHEALTHY);
    assertThat(health.reasons())
        .containsExactly(
            "a backlog of 100 messages (degraded from 100)",
            "the oldest message waits for 5 min (unhealthy from 5 min)");
  }

  @Test
  void oneDeadLetterDegradesByDefaultButNoNumberMakesUnhealthy() {
    assertThat(Health.of(snapshot(0, 1, Duration.ZERO, 0), HealthThresholds.DEFAULT).status())
        .isEqualTo(Status.DEGRADED);
    assertThat(
            Health.of(snapshot(0, 1_000_000, Duration.ZERO, 0), HealthThresholds.DEFAULT).status())
        .isEqualTo(Status.DEGRADED);
  }

  @Test
  void aShareOfAFewDeliveriesSaysNothing() {
    QueueFacts facts = QueueFacts.complete(NOW, List.of());
    Activity few = new Activity(Duration.ofSeconds(10), 0, Health.MIN_DELIVERIES - 1);
    Activity enough = new Activity(Duration.ofSeconds(10), 0, Health.MIN_DELIVERIES);
    assertThat(Health.of(MetricsSnapshot.of(facts, few), LIMITS).status()).isEqualTo(Status.OK);
    assertThat(Health.of(MetricsSnapshot.of(facts, enough), LIMITS).status())
        .isEqualTo(Status.UNHEALTHY);
  }

  @Test
  void theWorseOfTwoDecidesAndTheReasonsOfBothAreTold() {
    Health bad = Health.unreachable("gone");
    assertThat(Health.GOOD.and(bad.named("inbox")))
        .isEqualTo(new Health(Status.UNHEALTHY, List.of("inbox: gone")));
    assertThat(bad.and(Health.GOOD)).isEqualTo(bad);
  }

  @Test
  void reasonsAreInWordsThatPeopleRead() {
    HealthThresholds thin = LIMITS.withDead(1, 2).withFailureRatio(0.005, 1);
    assertThat(reasons(12_345, 1, Duration.ofSeconds(90_061), 33, thin))
        .containsExactly(
            "a backlog of 12,345 messages (unhealthy from 1,000)",
            "1 dead letter (degraded from 1)",
            "the oldest message waits for 1 d 1 h (unhealthy from 5 min)",
            "33 % of deliveries failed (degraded from 0.5 %)");
    HealthThresholds brief = LIMITS.withOldestAge(Duration.ofMillis(500), Duration.ofHours(2));
    assertThat(reasons(1, 0, Duration.ofSeconds(61), 0, brief))
        .containsExactly("the oldest message waits for 1 min 1 s (degraded from 500 ms)");
    assertThat(reasons(1, 0, Duration.ofMinutes(125), 0, brief))
        .containsExactly("the oldest message waits for 2 h 5 min (unhealthy from 2 h)");
  }

  private static List<String> reasons(
      long backlog, long dead, Duration age, long failedOfHundred, HealthThresholds limits) {
    return Health.of(snapshot(backlog, dead, age, failedOfHundred), limits).reasons();
  }

  @Test
  void refusesLimitsInTheWrongOrder() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LIMITS.withBacklog(10, 9))
        .withMessage("unhealthy (9) must not be below degraded (10)");
  }

  @Test
  void refusesFiguresThatNoQueueCanHave() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LIMITS.withBacklog(-1, 9))
        .withMessage("degraded backlog (-1) must not be negative");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LIMITS.withDead(-2, -1))
        .withMessageStartingWith("degraded dead (-2)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LIMITS.withOldestAge(Duration.ofSeconds(-1), Duration.ZERO))
        .withMessageStartingWith("degraded oldestAge (PT-1S)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LIMITS.withFailureRatio(0.1, 50))
        .withMessage("unhealthy failureRatio (50.0) must be from 0 to 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LIMITS.withFailureRatio(Double.NaN, Double.NaN))
        .withMessageStartingWith("degraded failureRatio (NaN)");
  }

  @Test
  void acceptsLimitsOfNothing() {
    HealthThresholds none = LIMITS.withBacklog(0, 0).withDead(0, 0).withFailureRatio(0, 1);

    assertThat(Health.of(snapshot(0, 0, Duration.ZERO, 0), none))
        .isEqualTo(
            new Health(
                Status.UNHEALTHY,
                List.of(
                    "a backlog of 0 messages (unhealthy from 0)",
                    "0 dead letters (unhealthy from 0)",
                    "0 % of deliveries failed (degraded from 0 %)")));
  }

  @Test
  void wholeUnitsAreSaidAloneAndCountsThatGoOnHaveAPlus() {
    assertThat(Words.duration(Duration.ofSeconds(59))).isEqualTo("59 s");
    assertThat(Words.duration(Duration.ofMinutes(1))).isEqualTo("1 min");
    assertThat(Words.duration(Duration.ofHours(1))).isEqualTo("1 h");
    assertThat(Words.duration(Duration.ofDays(1))).isEqualTo("1 d");
    assertThat(Words.counted(new Count(5, true), "message")).isEqualTo("5+ messages");
    assertThat(Words.counted(new Count(1, true), "message")).isEqualTo("1+ messages");
    assertThat(Words.counted(new Count(0, true), "message")).isEqualTo("0 messages");
  }

  private static Health health(long backlog, long dead, Duration age, long failedOfHundred) {
    return Health.of(snapshot(backlog, dead, age, failedOfHundred), LIMITS);
  }

  private static MetricsSnapshot snapshot(
      long backlog, long dead, Duration age, long failedOfHundred) {
    Tally tally = new Tally("A", null, backlog, 0, 0, 0, 0, dead, NOW.minus(age));
    return MetricsSnapshot.of(
        QueueFacts.complete(NOW, List.of(tally)),
        new Activity(Duration.ofSeconds(10), 100 - failedOfHundred, failedOfHundred));
  }
}

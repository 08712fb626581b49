package outbox.admin.metrics;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * From which figures on a queue counts as degraded or unhealthy. None may be negative, and a ratio
 * is from 0 to 1.
 */
public record HealthThresholds(
    Limit<Long> backlog, Limit<Long> dead, Limit<Duration> oldestAge, Limit<Double> failureRatio) {

  /**
   * Backlog (messages that are due) 10,000 and 100,000; oldest pending message 1 and 10 minutes;
   * failed deliveries a tenth and a half of all; one dead letter degrades, no number of them makes
   * unhealthy.
   */
  public static final HealthThresholds DEFAULT =
      new HealthThresholds(
          new Limit<>(10_000L, 100_000L),
          new Limit<>(1L, Long.MAX_VALUE),
          new Limit<>(Duration.ofMinutes(1), Duration.ofMinutes(10)),
          new Limit<>(0.1, 0.5));

  public HealthThresholds {
    check("backlog", backlog, figure -> figure >= 0, "must not be negative");
    check("dead", dead, figure -> figure >= 0, "must not be negative");
    check("oldestAge", oldestAge, age -> !age.isNegative(), "must not be negative");
    check("failureRatio", failureRatio, ratio -> ratio >= 0 && ratio <= 1, "must be from 0 to 1");
  }

  private static <T extends Comparable<T>> void check(
      String name, Limit<T> limit, Predicate<T> allowed, String rule) {
    if (!allowed.test(limit.degraded)) {
      throw new IllegalArgumentException("degraded " + name + " (" + limit.degraded + ") " + rule);
    }
    if (!allowed.test(limit.unhealthy)) {
      throw new IllegalArgumentException(
          "unhealthy " + name + " (" + limit.unhealthy + ") " + rule);
    }
  }

  /**
   * Returns these limits with others for the backlog: from when it is degraded, and from when
   * unhealthy.
   */
  public HealthThresholds withBacklog(long degraded, long unhealthy) {
    return new HealthThresholds(new Limit<>(degraded, unhealthy), dead, oldestAge, failureRatio);
  }

  /**
   * Returns these limits with others for dead letters: from when it is degraded, and from when
   * unhealthy.
   */
  public HealthThresholds withDead(long degraded, long unhealthy) {
    return new HealthThresholds(backlog, new Limit<>(degraded, unhealthy), oldestAge, failureRatio);
  }

  /**
   * Returns these limits with others for the oldest age: from when it is degraded, and from when
   * unhealthy.
   */
  public HealthThresholds withOldestAge(Duration degraded, Duration unhealthy) {
    return new HealthThresholds(backlog, dead, new Limit<>(degraded, unhealthy), failureRatio);
  }

  /**
   * Returns these limits with others for the ratio of failures: from when it is degraded, and from
   * when unhealthy.
   */
  public HealthThresholds withFailureRatio(double degraded, double unhealthy) {
    return new HealthThresholds(backlog, dead, oldestAge, new Limit<>(degraded, unhealthy));
  }

  /** Two steps of one figure, the second not below the first. */
  public record Limit<T extends Comparable<T>>(T degraded, T unhealthy) {
    public Limit {
      if (unhealthy.compareTo(degraded) < 0) {
        throw new IllegalArgumentException(
            "unhealthy (" + unhealthy + ") must not be below degraded (" + degraded + ")");
      }
    }
  }
}

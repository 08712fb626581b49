package outbox.metrics;

import java.time.Duration;

/** From which figures on a queue counts as degraded or unhealthy. */
public record HealthThresholds(
    Limit<Long> backlog, Limit<Long> dead, Limit<Duration> oldestAge, Limit<Double> failureRatio) {

  /**
   * Backlog 10,000 and 100,000; eldest pending message 1 and 10 minutes; failed deliveries a tenth
   * and a half of all; one dead letter degrades, no number of them makes unhealthy.
   */
  public static final HealthThresholds DEFAULT =
      new HealthThresholds(
          new Limit<>(10_000L, 100_000L),
          new Limit<>(1L, Long.MAX_VALUE),
          new Limit<>(Duration.ofMinutes(1), Duration.ofMinutes(10)),
          new Limit<>(0.1, 0.5));

  public HealthThresholds withBacklog(long degraded, long unhealthy) {
    return new HealthThresholds(new Limit<>(degraded, unhealthy), dead, oldestAge, failureRatio);
  }

  public HealthThresholds withDead(long degraded, long unhealthy) {
    return new HealthThresholds(backlog, new Limit<>(degraded, unhealthy), oldestAge, failureRatio);
  }

  public HealthThresholds withOldestAge(Duration degraded, Duration unhealthy) {
    return new HealthThresholds(backlog, dead, new Limit<>(degraded, unhealthy), failureRatio);
  }

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

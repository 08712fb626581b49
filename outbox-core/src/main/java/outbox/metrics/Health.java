package outbox.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A verdict on a queue, with the reasons of anything but OK.
 *
 * @param reasons each names the figure, its value and the limit that it passed
 */
public record Health(Status status, List<String> reasons) {
  /** A share of fewer deliveries than this says nothing: {@value}. */
  public static final int MIN_DELIVERIES = 20;

  /** Nothing to complain about. */
  public static final Health GOOD = new Health(Status.OK, List.of());

  public Health {
    reasons = List.copyOf(reasons);
  }

  /** From good to bad. */
  public enum Status {
    OK,
    DEGRADED,
    UNHEALTHY
  }

  /** Judges a snapshot; the worst figure decides. */
  public static Health of(MetricsSnapshot snapshot, HealthThresholds limits) {
    Judge judge = new Judge();
    judge.count("backlog", snapshot.backlog(), limits.backlog());
    judge.count("dead", snapshot.dead(), limits.dead());
    judge.age("oldestAge", snapshot.oldestAge(), limits.oldestAge());
    Activity activity = snapshot.activity();
    if (activity.processed() + activity.failed() >= MIN_DELIVERIES) {
      judge.ratio("failureRatio", activity.failureRatio(), limits.failureRatio());
    }
    return new Health(judge.worst, judge.reasons);
  }

  /** A queue whose database does not answer. */
  public static Health unreachable(String reason) {
    return new Health(Status.UNHEALTHY, List.of(reason));
  }

  /** Both together: the worse status, and the reasons of both. */
  public Health and(Health other) {
    List<String> all = new ArrayList<>(reasons);
    all.addAll(other.reasons);
    return new Health(status.compareTo(other.status) >= 0 ? status : other.status, all);
  }

  /** The same, with whose health it is before each reason. */
  public Health named(String whose) {
    return new Health(status, reasons.stream().map(reason -> whose + ": " + reason).toList());
  }

  private static final class Judge {
    private Status worst = Status.OK;
    private final List<String> reasons = new ArrayList<>();

    void count(String name, Count count, HealthThresholds.Limit<Long> limit) {
      judge(name, count.value(), limit);
    }

    void age(String name, Duration age, HealthThresholds.Limit<Duration> limit) {
      judge(name, age, limit);
    }

    void ratio(String name, double ratio, HealthThresholds.Limit<Double> limit) {
      judge(name, ratio, limit);
    }

    private <T extends Comparable<T>> void judge(
        String name, T value, HealthThresholds.Limit<T> limit) {
      if (value.compareTo(limit.unhealthy()) >= 0) {
        note(Status.UNHEALTHY, name, value, limit.unhealthy());
      } else if (value.compareTo(limit.degraded()) >= 0) {
        note(Status.DEGRADED, name, value, limit.degraded());
      }
    }

    private void note(Status status, String name, Object value, Object limit) {
      worst = worst.compareTo(status) >= 0 ? worst : status;
      reasons.add(name + " (" + shown(value) + ") has reached " + limit + ": " + status);
    }

    private static String shown(Object value) {
      return value instanceof Double ratio
          ? String.format(Locale.ROOT, "%.2f", ratio)
          : value.toString();
    }
  }
}

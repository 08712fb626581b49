package outbox.admin.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import outbox.metrics.Activity;

/**
 * A verdict on a queue, with the reasons of anything but OK.
 *
 * @param reasons each says in words the figure and the limit that it has reached
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
    Count backlog = snapshot.backlog();
    judge.judge(
        backlog.value(),
        limits.backlog(),
        "a backlog of " + Words.counted(backlog, "message"),
        Words::number);
    Count dead = snapshot.dead();
    judge.judge(dead.value(), limits.dead(), Words.counted(dead, "dead letter"), Words::number);
    Duration age = snapshot.oldestAge();
    judge.judge(
        age,
        limits.oldestAge(),
        "the oldest message waits for " + Words.duration(age),
        Words::duration);
    Activity activity = snapshot.activity();
    double failed = activity.failureRatio();
    if (activity.processed() + activity.failed() >= MIN_DELIVERIES) {
      judge.judge(
          failed,
          limits.failureRatio(),
          Words.percent(failed) + " of deliveries failed",
          Words::percent);
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

  /** Returns this health with the name of its database in the texts. */
  public Health named(String whose) {
    return new Health(status, reasons.stream().map(reason -> whose + ": " + reason).toList());
  }

  private static final class Judge {
    private Status worst = Status.OK;
    private final List<String> reasons = new ArrayList<>();

    <T extends Comparable<T>> void judge(
        T value, HealthThresholds.Limit<T> limit, String figure, Function<T, String> said) {
      if (value.compareTo(limit.unhealthy()) >= 0) {
        note(Status.UNHEALTHY, figure, said.apply(limit.unhealthy()));
      } else if (value.compareTo(limit.degraded()) >= 0) {
        note(Status.DEGRADED, figure, said.apply(limit.degraded()));
      }
    }

    private void note(Status status, String figure, String limit) {
      worst = worst.compareTo(status) >= 0 ? worst : status;
      reasons.add(figure + " (" + status.name().toLowerCase(Locale.ROOT) + " from " + limit + ")");
    }
  }
}

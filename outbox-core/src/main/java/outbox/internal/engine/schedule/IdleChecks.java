package outbox.internal.engine.schedule;

import java.time.Duration;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Looks into databases that are due by the schedule, without a request. Each opens a connection,
 * which would slow down what a caller waits for, and none is in a hurry: so they run one at a time,
 * the one that has waited longest first, and only while nothing else is done. Those that are late
 * are let in all the same, and one more at once for each step by which the first is late, up to a
 * limit: where a look takes long, as many run as it takes to keep up. Guarded by the scheduler's
 * lock.
 */
final class IdleChecks {
  private static final long STEP_NANOS = Duration.ofMillis(100).toNanos();

  private final PriorityQueue<StoreTask> waiting =
      new PriorityQueue<>((one, other) -> Long.signum(one.lateAt - other.lateAt));
  private final int max;
  private final long periodNanos;
  private int running;

  /**
   * Empty.
   *
   * @param max how many run at once at the most
   * @param period after which the next look into a database is late
   */
  IdleChecks(int max, Duration period) {
    this.max = max;
    this.periodNanos = period.toNanos();
  }

  /** The database was looked into, so that there is time until the next look. */
  void looked(StoreTask look, long now) {
    look.lateAt = now + periodNanos;
  }

  void add(StoreTask look) {
    waiting.add(look);
  }

  void remove(StoreTask look) {
    waiting.remove(look);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  int running() {
    return running;
  }

  /** Takes one that may begin; null if there is none. */
  @Nullable StoreTask poll(boolean quiet, long now) {
    StoreTask first = waiting.peek();
    return first != null && running < allowed(now - first.lateAt, quiet) ? waiting.poll() : null;
  }

  private long allowed(long lateness, boolean quiet) {
    if (lateness < 0) {
      return quiet ? 1 : 0;
    }
    return Math.min(max, 1 + lateness / STEP_NANOS);
  }

  void count(int more) {
    running += more;
  }

  /** How long until one more may begin by being late. */
  long nanosToNext(long now) {
    StoreTask first = waiting.peek();
    if (first == null || running >= max) {
      return Long.MAX_VALUE;
    }
    long lateness = now - first.lateAt;
    return lateness < 0 ? -lateness : STEP_NANOS - lateness % STEP_NANOS;
  }
}

package outbox.internal.engine.schedule;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Tasks that are due at a time, the next first. Guarded by the scheduler's lock. */
final class TaskTimers {
  private static final int LEAST_SWEPT = 1000;

  private final PriorityQueue<Timer> queue =
      new PriorityQueue<>((one, other) -> Long.signum(one.at - other.at));
  private int sweepAt = LEAST_SWEPT;

  /**
   * One that no longer is the task's own is passed over: the task was done or put off meanwhile.
   */
  private record Timer(StoreTask task, long at) {
    boolean isValid() {
      return task.alarmed && task.alarmAt == at;
    }
  }

  /** Sets the task's alarm unless it has an earlier one; returns whether it is now the next. */
  boolean set(StoreTask task, long at) {
    if (task.alarmed && task.alarmAt - at <= 0) {
      return false;
    }
    task.alarmed = true;
    task.alarmAt = at;
    queue.add(new Timer(task, at));
    sweep();
    Timer next = first();
    return next != null && next.task == task;
  }

  static void cancel(StoreTask task) {
    task.alarmed = false;
  }

  /** Keeps nothing of the task. */
  void remove(StoreTask task) {
    cancel(task);
    queue.removeIf(alarm -> alarm.task == task);
  }

  /** What was cancelled stays until its time, which may be far: it must not pile up. */
  private void sweep() {
    if (queue.size() >= sweepAt) {
      queue.removeIf(alarm -> !alarm.isValid());
      sweepAt = Math.max(LEAST_SWEPT, 2 * queue.size());
    }
  }

  /** Takes a task whose time has come; null if there is none. */
  @Nullable StoreTask poll(long now) {
    Timer first = first();
    if (first == null || first.at - now > 0) {
      return null;
    }
    queue.remove();
    first.task.alarmed = false;
    return first.task;
  }

  long nanosToNext(long now) {
    Timer first = first();
    return first == null ? Long.MAX_VALUE : first.at - now;
  }

  private @Nullable Timer first() {
    Timer first = queue.peek();
    while (first != null && !first.isValid()) {
      queue.remove();
      first = queue.peek();
    }
    return first;
  }
}

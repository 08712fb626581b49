package outbox.dispatch;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Duties that are due at a time, the next first. Guarded by the roster's lock. */
final class Alarms {
  private static final int LEAST_SWEPT = 1000;

  private final PriorityQueue<Alarm> queue =
      new PriorityQueue<>((one, other) -> Long.signum(one.at - other.at));
  private int sweepAt = LEAST_SWEPT;

  /**
   * One that no longer is the duty's own is passed over: the duty was done or put off meanwhile.
   */
  private record Alarm(Duty duty, long at) {
    boolean isValid() {
      return duty.alarmed && duty.alarmAt == at;
    }
  }

  /** Sets the duty's alarm unless it has an earlier one; returns whether it is now the next. */
  boolean set(Duty duty, long at) {
    if (duty.alarmed && duty.alarmAt - at <= 0) {
      return false;
    }
    duty.alarmed = true;
    duty.alarmAt = at;
    queue.add(new Alarm(duty, at));
    sweep();
    Alarm next = first();
    return next != null && next.duty == duty;
  }

  static void cancel(Duty duty) {
    duty.alarmed = false;
  }

  /** Keeps nothing of the duty. */
  void remove(Duty duty) {
    cancel(duty);
    queue.removeIf(alarm -> alarm.duty == duty);
  }

  /** What was cancelled stays until its time, which may be far: it must not pile up. */
  private void sweep() {
    if (queue.size() >= sweepAt) {
      queue.removeIf(alarm -> !alarm.isValid());
      sweepAt = Math.max(LEAST_SWEPT, 2 * queue.size());
    }
  }

  /** Takes a duty whose time has come; null if there is none. */
  @Nullable Duty poll(long now) {
    Alarm first = first();
    if (first == null || first.at - now > 0) {
      return null;
    }
    queue.remove();
    first.duty.alarmed = false;
    return first.duty;
  }

  long nanosToNext(long now) {
    Alarm first = first();
    return first == null ? Long.MAX_VALUE : first.at - now;
  }

  private @Nullable Alarm first() {
    Alarm first = queue.peek();
    while (first != null && !first.isValid()) {
      queue.remove();
      first = queue.peek();
    }
    return first;
  }
}

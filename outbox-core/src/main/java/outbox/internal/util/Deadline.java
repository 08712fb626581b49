package outbox.internal.util;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** An instant of the monotonic clock that several waits share. Immutable. */
public final class Deadline {
  private final long end;

  private Deadline(long end) {
    this.end = end;
  }

  public static Deadline in(Duration limit) {
    return new Deadline(System.nanoTime() + limit.toNanos());
  }

  /** The later of the two. */
  public Deadline orLater(Deadline other) {
    return other.end - end > 0 ? other : this;
  }

  public boolean isOver() {
    return rest().isZero();
  }

  /** The time that is left; zero once it is over. */
  public Duration rest() {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  /** The time that is left, or the limit if that is shorter. */
  public Duration rest(Duration limit) {
    Duration rest = rest();
    return rest.compareTo(limit) < 0 ? rest : limit;
  }

  /**
   * Waits for the end of the thread, unless it is the caller's. An interrupt ends the wait; the
   * caller stays interrupted.
   */
  public void join(Thread thread) {
    if (thread == Thread.currentThread()) {
      return;
    }
    try {
      TimeUnit.NANOSECONDS.timedJoin(thread, rest().toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

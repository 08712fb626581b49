package outbox.internal.engine.common;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** A pause that can be cut short. A wake-up that comes before the wait is not lost. Thread-safe. */
public final class Waiter {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition woken = lock.newCondition();
  private boolean wake;

  /** Waits until woken or until the time is over. */
  public void await(Duration limit) throws InterruptedException {
    await(limit, () -> Long.MAX_VALUE);
  }

  /**
   * Waits until woken or until the first of two times is over.
   *
   * @param nanosToOther how long until the other time; {@link #recompute} says that it has changed
   */
  public void await(Duration limit, LongSupplier nanosToOther) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    lock.lockInterruptibly();
    try {
      long nanos = Math.min(limit.toNanos(), nanosToOther.getAsLong());
      while (!wake && nanos > 0) {
        long unused = woken.awaitNanos(nanos);
        nanos = Math.min(end - System.nanoTime(), nanosToOther.getAsLong());
      }
      wake = false;
    } finally {
      lock.unlock();
    }
  }

  public void wake() {
    signal(true);
  }

  /** Lets a wait ask again how long it is. */
  public void recompute() {
    signal(false);
  }

  private void signal(boolean end) {
    lock.lock();
    try {
      wake |= end;
      woken.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

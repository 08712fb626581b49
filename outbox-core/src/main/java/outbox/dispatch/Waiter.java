package outbox.dispatch;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A pause that can be cut short. A wake-up that comes before the wait is not lost. Thread-safe. */
final class Waiter {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition woken = lock.newCondition();
  private boolean wake;

  /** Waits until woken or until the time is over. */
  void await(Duration limit) throws InterruptedException {
    long nanos = limit.toNanos();
    lock.lockInterruptibly();
    try {
      while (!wake && nanos > 0) {
        nanos = woken.awaitNanos(nanos);
      }
      wake = false;
    } finally {
      lock.unlock();
    }
  }

  void wake() {
    lock.lock();
    try {
      wake = true;
      woken.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Whether the database answers, as all threads of the engine see it together: logged once when it
 * stops answering and once when it is back, however many statements failed between. A pool may hand
 * out connections that died in an outage for some time after it; those are part of it. Thread-safe.
 */
final class Outage {
  private static final Logger LOG = System.getLogger(Outage.class.getName());
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration AFTERMATH = Duration.ofSeconds(5);

  private final ReentrantLock lock = new ReentrantLock();
  private final List<Runnable> onRecovery = new CopyOnWriteArrayList<>();
  private volatile boolean down;
  private long failures;
  private long downSince;
  private boolean announced;
  private long aftermathEnd = System.nanoTime();
  private Duration pause = FIRST_PAUSE;

  /** Runs each time the database is back. */
  void onRecovery(Runnable listener) {
    onRecovery.add(listener);
  }

  /**
   * Notes a failed call.
   *
   * @return how long to wait before the next one
   */
  Duration failed(String what, Throwable error) {
    lock.lock();
    try {
      failures++;
      if (!down) {
        down = true;
        downSince = System.nanoTime();
      } else {
        pause = min(pause.multipliedBy(2), LONGEST_PAUSE);
      }
      announce(what, error);
      return pause;
    } finally {
      lock.unlock();
    }
  }

  /** At once, or if an outage has just been over, when this one has outlived its aftermath. */
  private void announce(String what, Throwable error) {
    if (!announced && System.nanoTime() - aftermathEnd >= 0) {
      announced = true;
      LOG.log(
          Level.ERROR,
          "database unavailable during=" + what + "; trying again until it answers",
          error);
    }
  }

  /** Notes a call that the database answered. */
  void succeeded() {
    if (!down) {
      return;
    }
    lock.lock();
    try {
      if (!down) {
        return;
      }
      down = false;
      if (announced) {
        announced = false;
        long now = System.nanoTime();
        aftermathEnd = now + AFTERMATH.toNanos();
        LOG.log(
            Level.INFO,
            "database available again after={0} failures={1}",
            Duration.ofNanos(now - downSince),
            failures);
      }
      failures = 0;
      pause = FIRST_PAUSE;
    } finally {
      lock.unlock();
    }
    onRecovery.forEach(Runnable::run);
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}

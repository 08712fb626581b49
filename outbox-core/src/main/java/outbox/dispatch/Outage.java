package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import outbox.spi.MetricsExporter;

/**
 * Whether the database answers, as all threads of the engine see it together: logged once when it
 * stops answering and once when it is back, however many statements failed between.
 *
 * <p>An operation that fails is over its trouble when it succeeds again, not when another one does:
 * claims may be refused while completions go through. One that is not tried any more is forgotten.
 * A pool may hand out connections that died in an outage for some time after it; those are part of
 * it. Thread-safe.
 */
final class Outage {
  private static final Logger LOG = System.getLogger(Outage.class.getName());
  private static final long FIRST_PAUSE_MILLIS = 50;

  /** Of many databases some fail at any time: those are tried less often. */
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  private static final long LONGEST_PAUSE_AMONG_MANY_MILLIS = 5000;
  private static final Duration AFTERMATH = Duration.ofSeconds(5);
  private static final Duration FORGOTTEN_AFTER = Duration.ofSeconds(15);

  private final String store;
  private final String label;
  private final MetricsExporter metrics;
  private final long longestPauseMillis;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Runnable> onRecovery = new CopyOnWriteArrayList<>();
  private final Map<String, Trouble> troubles = new HashMap<>();
  private volatile boolean down;
  private long failures;
  private long downSince;
  private boolean announced;
  private long aftermathEnd = System.nanoTime();

  /**
   * At first all is well.
   *
   * @param store the store's identifier; empty if there is only one store
   */
  Outage(String store, MetricsExporter metrics) {
    this.store = store;
    this.label = store.isEmpty() ? "" : " store=" + store;
    this.metrics = metrics;
    this.longestPauseMillis =
        store.isEmpty() ? LONGEST_PAUSE_MILLIS : LONGEST_PAUSE_AMONG_MANY_MILLIS;
  }

  /** Whether some operation has failed and not succeeded since. */
  boolean isDown() {
    return down;
  }

  /** Runs each time an operation that failed has succeeded again. */
  void onRecovery(Runnable listener) {
    onRecovery.add(listener);
  }

  /**
   * Notes that an operation failed.
   *
   * @return how long to wait before the next try
   */
  Duration failed(String operation, Throwable error) {
    lock.lock();
    try {
      long now = System.nanoTime();
      if (!down) {
        down = true;
        downSince = now;
      }
      failures++;
      if (!announced && now - aftermathEnd >= 0) {
        announced = true;
        LOG.log(
            Level.ERROR,
            "database unavailable"
                + label
                + " during="
                + operation
                + "; trying again until it"
                + " answers",
            error);
        metrics.recordOutage(store, true);
      }
      Trouble trouble = troubles.computeIfAbsent(operation, name -> new Trouble());
      trouble.lastFailure = now;
      trouble.tries++;
      return trouble.pause(longestPauseMillis);
    } finally {
      lock.unlock();
    }
  }

  /** Notes that the database answered an operation. */
  void succeeded(String operation) {
    if (!down) {
      return;
    }
    boolean recovered;
    lock.lock();
    try {
      long now = System.nanoTime();
      recovered = troubles.remove(operation) != null;
      troubles.values().removeIf(trouble -> now - trouble.lastFailure > FORGOTTEN_AFTER.toNanos());
      if (troubles.isEmpty()) {
        over(now);
      }
    } finally {
      lock.unlock();
    }
    if (recovered) {
      onRecovery.forEach(Runnable::run);
    }
  }

  private void over(long now) {
    down = false;
    if (announced) {
      announced = false;
      aftermathEnd = now + AFTERMATH.toNanos();
      LOG.log(
          Level.INFO,
          "database available again" + label + " after={0} failures={1}",
          Duration.ofNanos(now - downSince),
          failures);
      metrics.recordOutage(store, false);
    }
    failures = 0;
  }

  /** An operation that fails, with ever longer pauses between its tries. */
  private static final class Trouble {
    private long lastFailure;
    private int tries;

    Duration pause(long longest) {
      int doublings = Math.min(tries - 1, 10);
      return Duration.ofMillis(Math.min(longest, FIRST_PAUSE_MILLIS << doublings));
    }
  }
}

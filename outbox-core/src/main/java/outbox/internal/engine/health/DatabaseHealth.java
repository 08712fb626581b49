package outbox.internal.engine.health;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.text.LogText;
import outbox.internal.util.Causes;
import outbox.spi.ConnectionsBusyException;
import outbox.spi.MetricsExporter;

/**
 * Whether the database answers, as all threads of the engine see it together: logged once when it
 * stops answering and once when it is back, however many statements failed between.
 *
 * <p>An operation that fails is over its trouble when it succeeds again, not when another one does:
 * claims may be refused while completions go through. One that is not repeated is over with the
 * next success of any other, and one that is not tried any more is forgotten. A pool may hand out
 * connections that died in an outage for some time after it; those are part of it. Thread-safe.
 */
public final class DatabaseHealth {
  private static final Logger LOG = System.getLogger(LoggerNames.HEALTH);
  private static final long FIRST_PAUSE_MILLIS = 50;

  /** Of many databases some fail at any time: those are tried less often. */
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  private static final long LONGEST_PAUSE_AMONG_MANY_MILLIS = 5000;
  private static final Duration AFTERMATH = Duration.ofSeconds(5);
  private static final Duration FORGOTTEN_AFTER = Duration.ofSeconds(15);
  private static final Duration FRESH = Duration.ofSeconds(1);
  private static final Duration BUSY_LOG_PERIOD = Duration.ofMinutes(1);

  private final String store;
  private final String label;
  private final MetricsExporter metrics;
  private final LongSupplier nanoTime;
  private final long longestPauseMillis;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Runnable> onRecovery = new CopyOnWriteArrayList<>();
  private final Map<String, Trouble> troubles = new HashMap<>();
  private volatile boolean closed;
  private volatile boolean down;
  private volatile long downSince;
  private long failures;
  private boolean announced;
  private long aftermathEnd;
  private long nextBusyLog;

  /**
   * At first all is well.
   *
   * @param store the store's identifier; empty if there is only one store
   */
  public DatabaseHealth(String store, MetricsExporter metrics) {
    this(store, metrics, System::nanoTime);
  }

  public DatabaseHealth(String store, MetricsExporter metrics, LongSupplier nanoTime) {
    this.store = store;
    this.nanoTime = nanoTime;
    this.aftermathEnd = nanoTime.getAsLong();
    this.nextBusyLog = aftermathEnd;
    this.label = store.isEmpty() ? "" : " store=" + store;
    this.metrics = metrics;
    this.longestPauseMillis =
        store.isEmpty() ? LONGEST_PAUSE_MILLIS : LONGEST_PAUSE_AMONG_MANY_MILLIS;
  }

  /** Whether some operation has failed and not succeeded since. */
  public boolean isDown() {
    return down;
  }

  /** Whether it has only just begun, so that the next try may well succeed. */
  public boolean isFresh() {
    return down && nanoTime.getAsLong() - downSince < FRESH.toNanos();
  }

  /** Runs each time an operation that failed is over its trouble. */
  public void onRecovery(Runnable listener) {
    onRecovery.add(listener);
  }

  /**
   * Notes that an operation failed.
   *
   * @return how long to wait before the next try
   */
  public Duration failed(String operation, Throwable error) {
    return note(operation, error, true);
  }

  /**
   * As {@link #failed}, for an operation that is not repeated: the next success of any ends its
   * trouble.
   */
  public void missed(String operation, Throwable error) {
    Duration unused = note(operation, error, false);
  }

  /** Takes note of nothing from here on: what fails now fails because of the shutdown. */
  public void close() {
    closed = true;
  }

  private Duration note(String operation, Throwable error, boolean repeated) {
    if (closed) {
      return Duration.ofMillis(FIRST_PAUSE_MILLIS);
    }
    lock.lock();
    try {
      long now = nanoTime.getAsLong();
      if (Causes.include(error, ConnectionsBusyException.class)) {
        reportBusy(operation, error, now);
        return Duration.ofMillis(FIRST_PAUSE_MILLIS);
      }
      if (!down) {
        downSince = now;
        down = true;
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
      Trouble trouble = troubles.computeIfAbsent(operation, name -> new Trouble(repeated));
      trouble.lastFailure = now;
      trouble.tries++;
      return trouble.pause(longestPauseMillis);
    } finally {
      lock.unlock();
    }
  }

  private void reportBusy(String operation, Throwable error, long now) {
    if (now - nextBusyLog >= 0) {
      nextBusyLog = now + BUSY_LOG_PERIOD.toNanos();
      LOG.log(
          Level.WARNING,
          "no connection free{0} during={1}; trying again: {2}",
          label,
          operation,
          LogText.of(String.valueOf(error.getMessage())));
    }
  }

  /** Notes that the database answered an operation. */
  public void succeeded(String operation) {
    if (!down) {
      return;
    }
    boolean recovered;
    lock.lock();
    try {
      long now = nanoTime.getAsLong();
      recovered = troubles.remove(operation) != null;
      recovered |= troubles.values().removeIf(trouble -> trouble.isOver(now));
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

  /** The store is not served any more: what was reported to be down is reported no longer. */
  public void forget() {
    lock.lock();
    try {
      troubles.clear();
      down = false;
      if (announced) {
        announced = false;
        metrics.recordOutage(store, false);
      }
    } finally {
      lock.unlock();
    }
  }

  /** An operation that fails, with ever longer pauses between its tries. */
  private static final class Trouble {
    private final boolean repeated;
    private long lastFailure;
    private int tries;

    Trouble(boolean repeated) {
      this.repeated = repeated;
    }

    /** Whether another operation's success is enough to end it. */
    boolean isOver(long now) {
      return !repeated || now - lastFailure > FORGOTTEN_AFTER.toNanos();
    }

    Duration pause(long longest) {
      int doublings = Math.min(tries - 1, 10);
      return Duration.ofMillis(Math.min(longest, FIRST_PAUSE_MILLIS << doublings));
    }
  }
}

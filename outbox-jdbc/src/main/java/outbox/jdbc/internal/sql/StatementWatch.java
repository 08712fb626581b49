package outbox.jdbc.internal.sql;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the statements that run, and cancels those that have run too long. A statement that
 * ends in time costs an entry in a set: no timer, no message to another thread. The thread starts
 * with the first statement and ends when none has run for a while. Thread-safe.
 */
final class StatementWatch {
  private static final Logger LOG = System.getLogger("outbox.jdbc.StatementWatch");

  /** For all stores of this process: they share one thread. */
  static final StatementWatch SHARED = new StatementWatch(Duration.ofSeconds(1));

  private static final long SHORTEST_TICK_NANOS = 5_000_000L;
  private static final int IDLE_TICKS = 30;

  private final Set<LimitedStatement> running = ConcurrentHashMap.newKeySet();
  private volatile long tickNanos;
  private volatile @Nullable Thread watcher;

  /** The tick is the longest until a statement needs a shorter one. */
  StatementWatch(Duration longestTick) {
    this.tickNanos = longestTick.toNanos();
  }

  void add(LimitedStatement statement) {
    running.add(statement);
    long tick = Math.max(statement.tickNanos(), SHORTEST_TICK_NANOS);
    boolean sooner = tick < tickNanos;
    if (sooner) {
      tickNanos = tick;
    }
    Thread present = watcher;
    if (present == null) {
      start();
    } else if (sooner) {
      LockSupport.unpark(present);
    }
  }

  void remove(LimitedStatement statement) {
    running.remove(statement);
  }

  private synchronized void start() {
    if (watcher == null) {
      Thread thread = new Thread(this::watch, "outbox-statements");
      thread.setDaemon(true);
      watcher = thread;
      thread.start();
    }
  }

  private void watch() {
    int idle = 0;
    while (idle < IDLE_TICKS || !leave()) {
      LockSupport.parkNanos(tickNanos);
      long now = System.nanoTime();
      running.forEach(statement -> cancel(statement, now));
      idle = running.isEmpty() ? idle + 1 : 0;
    }
  }

  /** A thread for it may not be had; then the client's own limit ends the statement. */
  private static void cancel(LimitedStatement statement, long now) {
    try {
      statement.cancelIfOverdue(now);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "statement could not be cancelled", e);
    }
  }

  /** Races with {@link #add}, which enters its statement before it asks for the thread. */
  private synchronized boolean leave() {
    watcher = null;
    if (running.isEmpty()) {
      return true;
    }
    watcher = Thread.currentThread();
    return false;
  }
}

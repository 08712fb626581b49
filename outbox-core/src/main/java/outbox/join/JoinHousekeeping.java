package outbox.join;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.JoinStore;
import outbox.spi.JoinStore.Settlement;

/**
 * Fails joins past their deadline that nothing waits for, and deletes old ones, in small batches.
 * Runs only when it is told to: once by {@link #run}, or regularly after {@link #start}. Starting
 * or closing twice is harmless. Thread-safe.
 */
public final class JoinHousekeeping implements Runnable, AutoCloseable {
  private static final Logger LOG = System.getLogger(JoinHousekeeping.class.getName());
  private static final int BATCH = 200;
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  private final Transactions transactions;
  private final JoinTracker tracker;
  private final @Nullable Duration retention;
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Thread thread;

  /** Housekeeping that keeps every join. */
  public JoinHousekeeping(ConnectionProvider connections, JoinTracker tracker) {
    this(connections, tracker, null);
  }

  /**
   * Housekeeping that deletes joins, with their steps.
   *
   * @param retention how long a join is kept after its end; null for ever
   */
  public JoinHousekeeping(
      ConnectionProvider connections, JoinTracker tracker, @Nullable Duration retention) {
    this.transactions = new Transactions(requireNonNull(connections, "connections"), null);
    this.tracker = requireNonNull(tracker, "tracker");
    this.retention = retention;
    if (retention != null && retention.isNegative()) {
      throw new IllegalArgumentException("retention (" + retention + ") must not be negative");
    }
  }

  /** Runs on a thread of its own from now on, with a pause of this length between two runs. */
  public synchronized void start(Duration interval) {
    if (isClosed()) {
      throw new IllegalStateException("the housekeeping is closed; make a new one");
    }
    if (thread == null) {
      long nanos = requireNonNull(interval, "interval").toNanos();
      thread = new Thread(() -> loop(nanos), "outbox-join-housekeeping");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void loop(long pauseNanos) {
    try {
      while (!closed.await(pauseNanos, TimeUnit.NANOSECONDS)) {
        runQuietly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One complete run on the calling thread. */
  @Override
  public void run() {
    JoinStore store = tracker.store();
    int batch = BATCH;
    while (batch == BATCH && !isClosed()) {
      Settlement overdue = transactions.call(connection -> store.failOverdue(connection, BATCH));
      tracker.announce(overdue);
      batch = overdue.ended().size();
    }
    if (retention != null) {
      purge(store, retention);
    }
  }

  private void purge(JoinStore store, Duration retention) {
    int batch = BATCH;
    while (batch > 0 && !isClosed()) {
      batch = transactions.call(connection -> store.purge(connection, retention, BATCH));
      LOG.log(Level.DEBUG, "joins purged number={0}", batch);
    }
  }

  private void runQuietly() {
    try {
      run();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "housekeeping of joins failed, trying again after its interval", e);
    }
  }

  /** Stops after the batch under way. */
  @Override
  public void close() {
    closed.countDown();
    @Nullable Thread running;
    synchronized (this) {
      running = thread;
    }
    if (running != null && running != Thread.currentThread()) {
      try {
        running.join(CLOSE_LIMIT.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }
}

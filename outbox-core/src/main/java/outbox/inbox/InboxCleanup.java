package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;

/**
 * Removes what is no longer needed of messages that are DONE, in small batches, on a timer of its
 * own: the payload first, the row with its key after the dedup window. What is SEEN, PROCESSING or
 * DEAD stays. Thread-safe.
 */
public final class InboxCleanup implements AutoCloseable {
  /** How long the payload of a processed message is kept by default. */
  public static final Duration DEFAULT_PAYLOAD_RETENTION = Duration.ofDays(7);

  /** How long a processed message is recognised by default. */
  public static final Duration DEFAULT_DEDUP_WINDOW = Duration.ofDays(30);

  /** How often to look by default. */
  public static final Duration DEFAULT_INTERVAL = Duration.ofMinutes(1);

  /** Rows changed by one statement. */
  private static final int BATCH = 500;

  private static final Logger LOG = System.getLogger(InboxCleanup.class.getName());
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  private final ConnectionProvider connections;
  private final InboxStore store;
  private final Duration payloadRetention;
  private final Duration dedupWindow;
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Thread thread;

  /**
   * A cleanup that does not run yet.
   *
   * @throws IllegalArgumentException if the payload would outlive its row
   */
  public InboxCleanup(
      ConnectionProvider connections,
      InboxStore store,
      Duration payloadRetention,
      Duration dedupWindow) {
    this.connections = requireNonNull(connections, "connections");
    this.store = requireNonNull(store, "store");
    this.payloadRetention = requireNonNull(payloadRetention, "payloadRetention");
    this.dedupWindow = requireNonNull(dedupWindow, "dedupWindow");
    if (payloadRetention.isNegative() || dedupWindow.compareTo(payloadRetention) < 0) {
      throw new IllegalArgumentException(
          "payloadRetention ("
              + payloadRetention
              + ") must not be negative, nor longer than dedupWindow ("
              + dedupWindow
              + ")");
    }
  }

  /** Cleans up now and after every interval, on a thread of its own. Twice is harmless. */
  public synchronized void start(Duration interval) {
    if (closed.getCount() == 0) {
      throw new IllegalStateException("the cleanup is closed; make a new one");
    }
    if (thread == null) {
      thread = new Thread(() -> run(interval), "outbox-inbox-cleanup");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void run(Duration interval) {
    try {
      do {
        try {
          cleanUp();
        } catch (RuntimeException e) {
          LOG.log(Level.WARNING, "cleanup of the inbox failed, trying again in " + interval, e);
        }
      } while (!closed.await(interval.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One pass on the calling thread, each batch a transaction; returns the rows removed. */
  public int cleanUp() {
    int payloads =
        inBatches(
            limit ->
                connections.inAutoCommit(
                    connection -> store.purgePayloads(connection, payloadRetention, limit)));
    int rows =
        inBatches(
            limit ->
                connections.inAutoCommit(
                    connection -> store.purgeRows(connection, dedupWindow, limit)));
    if (payloads + rows > 0) {
      LOG.log(Level.DEBUG, "inbox cleaned up payloads=" + payloads + " rows=" + rows);
    }
    return rows;
  }

  private int inBatches(IntUnaryOperator batch) {
    int total = 0;
    int changed;
    do {
      changed = batch.applyAsInt(BATCH);
      total += changed;
    } while (changed == BATCH && closed.getCount() > 0);
    return total;
  }

  /** Stops the timer; waits for a batch under way. Closing twice, or before start, is harmless. */
  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      closed.countDown();
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
}

package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;

/**
 * Removes what is no longer needed of messages that are DONE, in small batches, on a timer of its
 * own: the payload first, the row with its key after the dedup window. What is SEEN, PROCESSING or
 * DEAD stays. One cleanup serves one inbox, or those of many databases in turn. Thread-safe.
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

  private final Supplier<? extends Collection<Target>> targets;
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
    this(always(new Target(connections, store, "")), payloadRetention, dedupWindow);
  }

  /** The same for the inboxes that there are when it looks. One that fails keeps no other. */
  public InboxCleanup(
      Supplier<? extends Collection<Target>> targets,
      Duration payloadRetention,
      Duration dedupWindow) {
    this.targets = requireNonNull(targets, "targets");
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

  private static Supplier<List<Target>> always(Target target) {
    return () -> List.of(target);
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

  /**
   * One pass on the calling thread, each batch a transaction; returns the rows removed. What one
   * inbox fails by is thrown when the others are clean.
   */
  public int cleanUp() {
    int rows = 0;
    RuntimeException failure = null;
    for (Target target : targets.get()) {
      try {
        rows += cleanUp(target);
      } catch (RuntimeException e) {
        failure = failure == null ? e : suppressing(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
    return rows;
  }

  private static RuntimeException suppressing(RuntimeException first, RuntimeException next) {
    first.addSuppressed(next);
    return first;
  }

  private int cleanUp(Target target) {
    int payloads =
        inBatches(
            limit ->
                target.connections.inAutoCommit(
                    connection -> target.store.purgePayloads(connection, payloadRetention, limit)));
    int rows =
        inBatches(
            limit ->
                target.connections.inAutoCommit(
                    connection -> target.store.purgeRows(connection, dedupWindow, limit)));
    if (payloads + rows > 0) {
      String count = " payloads=" + payloads + " rows=" + rows;
      LOG.log(Level.DEBUG, "inbox cleaned up" + count + target.label);
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

  /**
   * An inbox to clean up.
   *
   * @param label what log lines say of it beside the counts; may be empty
   */
  public record Target(ConnectionProvider connections, InboxStore store, String label) {
    public Target {
      requireNonNull(connections, "connections");
      requireNonNull(store, "store");
      requireNonNull(label, "label");
    }
  }
}

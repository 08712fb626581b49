package outbox.poller;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import outbox.OutboxConfig;
import outbox.dispatch.OutboxDispatcher;
import outbox.internal.engine.intake.StorePoller;
import outbox.internal.util.Deadline;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventStore;
import outbox.spi.MetricsExporter;

/**
 * Looks for due events in the database: those that a crash, a full lane or a retry left there.
 * While it finds some it continues at once; idle, it looks less and less often, up to its interval,
 * and is woken when there is something to do. Thread-safe.
 */
public final class OutboxPoller implements AutoCloseable {
  private final StorePoller poller;

  /**
   * A poller that does not run yet.
   *
   * @param skipRecent with a plain {@link EventStore}, rows younger than this are left alone. With
   *     a {@link outbox.spi.LeasedEventStore} this holds only for rows that a node of schema
   *     version 1 wrote, which may be in that node's memory; all others are claimed as soon as they
   *     are due and not leased, those of {@link EventStore#insertNew} too
   * @param batchSize events claimed by one statement at the most
   * @param intervalMs longest pause between two looks
   */
  public OutboxPoller(
      ConnectionProvider connectionProvider,
      EventStore eventStore,
      OutboxDispatcher dispatcher,
      Duration skipRecent,
      int batchSize,
      long intervalMs,
      MetricsExporter metrics) {
    requireNonNull(connectionProvider, "connectionProvider");
    requireNonNull(eventStore, "eventStore");
    requireNonNull(dispatcher, "dispatcher");
    requireNonNull(skipRecent, "skipRecent");
    requireNonNull(metrics, "metrics");
    OutboxConfig checked =
        new OutboxConfig()
            .setPollerBatchSize(batchSize)
            .setPollerIntervalMs(intervalMs)
            .setPollerSkipRecentMs(skipRecent.toMillis());
    this.poller =
        dispatcher.poller(
            connectionProvider,
            eventStore,
            skipRecent,
            checked.getPollerBatchSize(),
            Duration.ofMillis(checked.getPollerIntervalMs()),
            metrics);
  }

  /** Starts polling on the threads of the dispatcher. Starting twice is harmless. */
  public void start() {
    poller.start();
  }

  /**
   * Looks now, and soon again: something due is stored in a transaction whose commit is not seen.
   */
  public void expect() {
    poller.soon();
  }

  /** One cycle on the calling thread, whether started or not: claims what is due and fits. */
  public void poll() {
    poller.poll();
  }

  /** Begins no further cycle, and ends the wait of one for a connection. Does not block. */
  public void stop() {
    poller.stop();
  }

  /**
   * Stops polling; waits for a cycle under way, for 5 seconds at the most. Closing twice, or before
   * the start, is harmless.
   */
  @Override
  public void close() {
    close(new OutboxConfig().getCloseTimeout());
  }

  /** As {@link #close()}, and waits no longer than the limit. */
  public void close(Duration limit) {
    poller.close(Deadline.in(limit));
  }
}

package outbox;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.spi.EventStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.StoreException;
import outbox.spi.TxContext;

/**
 * Publishes events as part of the business transaction: they are stored with it or not at all, and
 * delivered after its commit. Thread-safe.
 */
public final class OutboxClient {
  private static final Logger LOG = System.getLogger(OutboxClient.class.getName());
  private static final long WARNING_PERIOD_NANOS = 10_000_000_000L;

  private final TxContext txContext;
  private final EventStore eventStore;
  private final OutboxDispatcher dispatcher;
  private final MetricsExporter metrics;
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong nextWarning = new AtomicLong(System.nanoTime());

  public OutboxClient(
      TxContext txContext,
      EventStore eventStore,
      OutboxDispatcher dispatcher,
      MetricsExporter metrics) {
    this.txContext = requireNonNull(txContext, "txContext");
    this.eventStore = requireNonNull(eventStore, "eventStore");
    this.dispatcher = requireNonNull(dispatcher, "dispatcher");
    this.metrics = MetricsExporter.quiet(requireNonNull(metrics, "metrics"));
  }

  /**
   * Stores the event in the current transaction. After the commit it goes to the dispatcher's
   * memory if there is room, and otherwise waits in the database for a poller.
   *
   * @return the event's id
   * @throws IllegalStateException without an active transaction
   */
  public String publish(EventEnvelope event) {
    requireNonNull(event, "event");
    if (!txContext.isTransactionActive()) {
      throw new IllegalStateException(
          "publish needs an active transaction: begin one on the TxContext given to this client");
    }
    Connection connection = txContext.currentConnection();
    refuseAutoCommit(connection);
    QueuedEvent queued = dispatcher.prepareHot(event, !txContext.seesSavepointRollbacks());
    if (eventStore instanceof LeasedEventStore leased) {
      leased.insert(connection, event, queued.lease());
    } else {
      eventStore.insertNew(connection, event);
    }
    txContext.afterCommit(() -> handOver(queued));
    return event.eventId();
  }

  private void handOver(QueuedEvent queued) {
    boolean taken = dispatcher.enqueueHot(queued);
    if (queued.source() == QueuedEvent.Source.COLD) {
      return;
    }
    if (taken) {
      metrics.incrementHotEnqueued();
    } else {
      metrics.incrementHotDropped();
      warnOfDrop(queued);
    }
  }

  /** At once for the first drop, then at most every ten seconds with the number since. */
  private void warnOfDrop(QueuedEvent queued) {
    long count = dropped.incrementAndGet();
    long now = System.nanoTime();
    long due = nextWarning.get();
    if (now - due >= 0 && nextWarning.compareAndSet(due, now + WARNING_PERIOD_NANOS)) {
      dropped.addAndGet(-count);
      LOG.log(
          Level.WARNING,
          "hot queue full, left to the poller count={0} last={1}; raise hotQueueCapacity or"
              + " dispatcherWorkers if this persists",
          count,
          queued.envelope().eventId());
    }
  }

  private static void refuseAutoCommit(Connection connection) {
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "publish needs a transaction, but the connection is in auto-commit mode; call"
                + " setAutoCommit(false) before");
      }
    } catch (SQLException e) {
      throw new StoreException("publish: " + e.getMessage(), e);
    }
  }
}

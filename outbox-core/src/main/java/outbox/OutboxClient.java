package outbox;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
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
  private final TxContext txContext;
  private final EventStore eventStore;
  private final OutboxDispatcher dispatcher;
  private final MetricsExporter metrics;

  public OutboxClient(
      TxContext txContext,
      EventStore eventStore,
      OutboxDispatcher dispatcher,
      MetricsExporter metrics) {
    this.txContext = requireNonNull(txContext, "txContext");
    this.eventStore = requireNonNull(eventStore, "eventStore");
    this.dispatcher = requireNonNull(dispatcher, "dispatcher");
    if (!dispatcher.uses(eventStore)) {
      throw new IllegalArgumentException(
          "eventStore must be the dispatcher's own: its leases go into the rows that this inserts");
    }
    this.metrics = MetricsExporter.quiet(requireNonNull(metrics, "metrics"));
  }

  /**
   * Stores the event in the current transaction. After the commit it goes to the dispatcher's
   * memory if there is room, and otherwise waits in the database for a poller.
   *
   * <p>An event with an idempotency key that its tenant has had before is neither stored nor
   * delivered.
   *
   * @return the event's id, or that of the first event with its key
   * @throws IllegalStateException without an active transaction
   */
  public String publish(EventEnvelope event) {
    requireNonNull(event, "event");
    if (!txContext.isTransactionActive()) {
      throw withoutTransaction();
    }
    Connection connection = txContext.currentConnection();
    refuseAutoCommit(connection);
    QueuedEvent queued = dispatcher.prepareHot(event, !txContext.seesSavepointRollbacks());
    Optional<String> first = insert(connection, queued);
    if (first.isPresent()) {
      DuplicateLog.notInserted(event);
      return first.get();
    }
    BooleanSupplier doubt = txContext.commitDoubt();
    txContext.afterCommit(() -> handOver(queued, doubt.getAsBoolean()));
    return event.eventId();
  }

  /** The context knows how one begins, and says so when it is asked for what it does not have. */
  private IllegalStateException withoutTransaction() {
    String needed = "publish needs an active transaction: ";
    try {
      txContext.currentConnection();
    } catch (IllegalStateException e) {
      return new IllegalStateException(needed + e.getMessage(), e);
    }
    return new IllegalStateException(needed + "begin one on the TxContext given to this client");
  }

  private Optional<String> insert(Connection connection, QueuedEvent queued) {
    if (eventStore instanceof LeasedEventStore leased) {
      return leased.insert(connection, queued.envelope(), queued.lease());
    }
    eventStore.insertNew(connection, queued.envelope());
    return Optional.empty();
  }

  private void handOver(QueuedEvent queued, boolean inDoubt) {
    boolean taken = inDoubt ? dispatcher.confirmHot(queued) : dispatcher.enqueueHot(queued);
    if (queued.source() == QueuedEvent.Source.COLD) {
      return;
    }
    if (taken) {
      metrics.incrementHotEnqueued();
    } else {
      metrics.incrementHotDropped();
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

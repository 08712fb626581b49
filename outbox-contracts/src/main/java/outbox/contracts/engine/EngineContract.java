package outbox.contracts.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.store.EventStoreContract;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

/**
 * What client, dispatcher and poller must do on a store: acceptance, lanes, failures and retries,
 * leases, transactional listeners, batches, handlers, the log, shutdown. A subclass names the store
 * and its transactions.
 */
@Timeout(180)
public abstract class EngineContract
    implements AcceptanceRules,
        LaneRules,
        BulkPublishRules,
        FailureRules,
        TopicRetryRules,
        DeadEndRules,
        WorkerLogRules,
        TakeoverRules,
        DueTimeRules,
        OrderedDeliveryRules,
        SavepointRules,
        DuplicateRules,
        ListenerRules,
        BatchListenerRules,
        TransactionalRules,
        TransactionalBatchRules,
        HandlerRules,
        TransactionalHandlerRules,
        DeathNoticeRules,
        MetricsRules,
        ShutdownRules {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /** The store, its table empty before each test. */
  @Override
  public abstract LeasedEventStore store();

  @Override
  public abstract ConnectionProvider connections();

  /** Sees the transactions of {@link #transactions()}. */
  @Override
  public abstract TxContext txContext();

  @Override
  public abstract TransactionRunner transactions();

  /** The committed state of an event, read without the store. */
  @Override
  public abstract Optional<EventStoreContract.Row> row(String eventId);

  /**
   * Moves the clock of {@link #store()} forward, or back if the time is negative. Called once,
   * before the test uses the store.
   */
  @Override
  public abstract void advance(Duration by);

  /** Writes a due event of type {@code Old} as a version without leases does. */
  @Override
  public abstract void insertByOldVersion(String eventId, String headersJson);

  @Override
  public final <T extends AutoCloseable> T closing(T closeable) {
    open.push(closeable);
    return closeable;
  }

  @AfterEach
  final void closeAll() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}

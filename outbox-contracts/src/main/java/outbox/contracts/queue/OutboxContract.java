package outbox.contracts.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.store.EventStoreContract;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

/**
 * What the work queue must do on a store. A subclass names the store and its transactions, and can
 * move the store's notion of now, since no test waits for a lease to expire.
 */
@Timeout(180)
public abstract class OutboxContract
    implements EnqueueRules,
        IdempotencyRules,
        WorkRules,
        OrderedWorkRules,
        RetryRules,
        EndRules,
        QueueLogRules,
        DeadLetterRules,
        BulkReplayRules {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  @Override
  public abstract LeasedEventStore store();

  @Override
  public abstract ConnectionProvider connections();

  /** Sees the transactions of {@link #transactions()}. */
  @Override
  public abstract TxContext txContext();

  @Override
  public abstract TransactionRunner transactions();

  @Override
  public abstract void advance(Duration by);

  @Override
  public abstract Instant now();

  /** The committed state of a message, read without the store. */
  @Override
  public abstract Optional<EventStoreContract.Row> row(String eventId);

  /** Writes a due event of type {@code Old} as a version without leases does. */
  @Override
  public abstract void insertByOldVersion(String eventId, String headersJson);

  /** Deletes every message and sets the store's now back to the present. */
  protected abstract void reset();

  @Override
  public final <T extends AutoCloseable> T closing(T closeable) {
    open.push(closeable);
    return closeable;
  }

  @BeforeEach
  final void startAfresh() {
    reset();
  }

  @AfterEach
  final void closeAll() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}

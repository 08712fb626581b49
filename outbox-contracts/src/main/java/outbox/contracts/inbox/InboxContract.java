package outbox.contracts.inbox;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import outbox.inbox.InboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.TransactionRunner;

/**
 * What an inbox must do on a store. A subclass names the store and its transactions, and can move
 * the store's notion of now, since no test waits for a lease to expire.
 */
@Timeout(180)
public abstract class InboxContract
    implements InboxIntakeRules,
        InboxBulkRules,
        InboxBatchHandlerRules,
        InboxStageRules,
        InboxArgumentRules,
        InboxMarkRules,
        InboxWorkRules,
        InboxContentRules,
        InboxTransactionRules,
        InboxAtomicityRules,
        InboxCleanupRules,
        InboxHandlerRules,
        InboxTransactionalHandlerRules,
        InboxDeadLetterRules,
        InboxInstantRules {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  @Override
  public abstract InboxStore store();

  @Override
  public abstract ConnectionProvider connections();

  @Override
  public abstract TransactionRunner transactions();

  @Override
  public abstract void advance(Duration by);

  @Override
  public abstract void stopAt(Instant instant);

  @Override
  public abstract Instant now();

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

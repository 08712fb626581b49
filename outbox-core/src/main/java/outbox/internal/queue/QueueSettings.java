package outbox.internal.queue;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Joins;
import outbox.PayloadCodec;
import outbox.dispatch.Retries;
import outbox.dispatch.RetryPolicy;
import outbox.spi.ConnectionProvider;
import outbox.spi.DueListener;
import outbox.spi.LeasedEventStore;
import outbox.spi.Propagation;
import outbox.spi.TxContext;

/**
 * What {@link outbox.OutboxBuilder} collects, with its defaults. The queue copies the values when
 * it is built. Not thread-safe.
 */
public final class QueueSettings {
  public static final int DEFAULT_MAX_ATTEMPTS = 10;
  public static final int DEFAULT_MAX_LEASE_EXPIRIES = 3;

  public final ConnectionProvider connections;
  public final LeasedEventStore store;
  public @Nullable TxContext txContext;
  public @Nullable String storeName;
  public Propagation propagation = Propagation.NONE;
  public PayloadCodec codec = PayloadCodec.onClassPath();
  public @Nullable Joins joins;
  public @Nullable HotInserts hotInserts;
  public Runnable onCommit = () -> {};
  public Runnable onUnseenCommit = () -> {};
  public DueListener onStoredForLater = DueListener.NONE;
  public RetryPolicy backoff = Retries.moderate().delays();
  public int maxAttempts = DEFAULT_MAX_ATTEMPTS;
  public int maxLeaseExpiries = DEFAULT_MAX_LEASE_EXPIRIES;
  public int maxPayloadBytes = EventEnvelope.MAX_PAYLOAD_BYTES;

  public QueueSettings(ConnectionProvider connections, LeasedEventStore store) {
    this.connections = requireNonNull(connections, "connections");
    this.store = requireNonNull(store, "store");
  }
}

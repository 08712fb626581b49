package outbox.internal.engine.delivery;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/**
 * The store's time, which a process learns when it claims and then carries on by its monotonic
 * clock: what its own clock shows is of no consequence.
 *
 * @param seen what the store's clock showed; null to go by this process's clock
 * @param nanos nanoTime before the store was asked, so that its time is rather early than late
 */
public record StoreTime(@Nullable Instant seen, long nanos) {
  /** For an event that has never been claimed, or a store that has no leases to tell by. */
  public static final StoreTime LOCAL = new StoreTime(null, 0);

  public static StoreTime of(ClaimedEvent claimed, Duration lease, long nanos) {
    Instant leasedUntil = claimed.leasedUntil();
    return leasedUntil == null ? LOCAL : new StoreTime(leasedUntil.minus(lease), nanos);
  }

  /** Checks that the engine can work with a store, and asks for its time. */
  public static StoreTime ofChecked(LeasedEventStore store, Connection connection) {
    store.check(connection);
    long nanos = System.nanoTime();
    return new StoreTime(store.now(connection), nanos);
  }

  /** Since when an event waits to be delivered: since it was stored or, if that is later, due. */
  public static Instant waitsSince(Instant createdAt, @Nullable Instant dueAt) {
    return dueAt != null && dueAt.isAfter(createdAt) ? dueAt : createdAt;
  }

  /** What this process's clock showed before the store was asked. */
  public Instant asked() {
    return Instant.now().minusNanos(System.nanoTime() - nanos);
  }

  public Instant now() {
    return at(System.nanoTime());
  }

  /** What the store's clock shows at a moment of this process's monotonic clock. */
  public Instant at(long moment) {
    return seen == null
        ? Instant.now().plusNanos(moment - System.nanoTime())
        : seen.plusNanos(moment - nanos);
  }
}

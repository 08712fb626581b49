package outbox.contracts.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore;

/**
 * What every {@link LeasedEventStore} must do. A subclass names the store and answers a few
 * questions about its database; it runs with auto-commit on and off.
 *
 * <p>The subclass must be able to move the store's notion of now, since no test waits for a lease
 * to expire.
 */
@ParameterizedClass(name = "autoCommit={0}")
@ValueSource(booleans = {true, false})
@Timeout(120)
public abstract class EventStoreContract
    implements PlainStoreRules,
        InsertRules,
        ClaimRules,
        LeaseRules,
        FenceRules,
        PoisonRules,
        LockRules,
        ContentRules,
        ExpiryRules,
        AtomicityRules,
        KeyRules,
        OrderRules,
        RetentionRules,
        TimeRules,
        InstantRules {

  @Parameter boolean autoCommit;

  /** The store, keeping completed events. */
  @Override
  public abstract LeasedEventStore store();

  /** A store on the same table that deletes completed events. */
  @Override
  public abstract LeasedEventStore deletingStore();

  /** A new connection in auto-commit mode. */
  @Override
  public abstract Connection open() throws SQLException;

  /** A new connection whose session is in the given zone, such as +05:30, if it has a zone. */
  @Override
  public abstract Connection open(String zoneOffset) throws SQLException;

  /** Lets the store's now be later by this, as well as what it is already. */
  @Override
  public abstract void advance(Duration by);

  /** Lets the store's now stand still at this instant until it is advanced. */
  @Override
  public abstract void stopAt(Instant instant);

  /** The store's now. */
  @Override
  public abstract Instant now();

  /** The committed state of an event, read without the store. */
  @Override
  public abstract Optional<Row> row(String eventId);

  /**
   * Writes a due event of type {@code Old} as a version without leases does: an id, a type, a text
   * payload, the given headers, available and created now, nothing else.
   */
  @Override
  public abstract void insertByOldVersion(String eventId, @Nullable String headersJson);

  /** Deletes every event and sets the store's now back to the present. */
  protected abstract void reset();

  @Override
  public final boolean autoCommit() {
    return autoCommit;
  }

  @BeforeEach
  final void startAfresh() {
    reset();
  }

  /** The columns that the store itself does not show. */
  public record Row(
      EventStatus status,
      int attempts,
      Instant availableAt,
      Instant createdAt,
      @Nullable Instant doneAt,
      @Nullable String owner,
      int leaseExpiries,
      @Nullable String processedBy,
      @Nullable String lastError,
      @Nullable String idempotencyKey,
      @Nullable String listeners) {}
}

package outbox.contracts.join;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.contracts.store.EventStoreContract;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.spi.JoinStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.TerminalHook;

/**
 * What every {@link JoinStore} must do beside the {@link LeasedEventStore} whose ends it counts. A
 * subclass names both and answers a few questions about its database.
 */
@Timeout(180)
public abstract class JoinContract
    implements JoinRules,
        JoinOutboxRules,
        JoinCountRules,
        JoinTallyRules,
        JoinLateRules,
        JoinWaitRules,
        JoinContinuationRules,
        JoinPlanRules,
        JoinEndRules,
        JoinChangeRules,
        JoinLockRules,
        JoinLogRules,
        JoinInstantRules {
  @SuppressWarnings("NullAway.Init")
  private JoinStore joinStore;

  @SuppressWarnings("NullAway.Init")
  private JoinTracker tracker;

  @SuppressWarnings("NullAway.Init")
  private LeasedEventStore events;

  @SuppressWarnings("NullAway.Init")
  private JoinCoordinator joins;

  @SuppressWarnings("NullAway.Init")
  private Outbox outbox;

  /** A new store of joins, for which it is as late as {@link #now()} says. */
  protected abstract JoinStore newJoinStore();

  /** A new store of the events beside it, with this hook and the same clock. */
  protected abstract LeasedEventStore newEvents(TerminalHook hook);

  /** A new connection in auto-commit mode. */
  @Override
  public abstract Connection open() throws SQLException;

  /** Lets the stores' now be later by this, as well as what it is already. */
  protected abstract void moveClock(Duration by);

  /** Lets the stores' now stand still at this instant until it is moved. */
  protected abstract void stopClock(Instant instant);

  @Override
  public abstract Instant now();

  /** The committed state of an event, read without the store. */
  @Override
  public abstract Optional<EventStoreContract.Row> row(String eventId);

  @Override
  public abstract void delete(String eventId);

  /** Deletes everything and sets the stores' now back to the present. */
  protected abstract void reset();

  @BeforeEach
  final void startAfresh() {
    reset();
    joinStore = newJoinStore();
    connect();
  }

  @Override
  public final void advance(Duration by) {
    moveClock(by);
    joinStore = newJoinStore();
    connect();
  }

  @Override
  public final void stopAt(Instant instant) {
    stopClock(instant);
    joinStore = newJoinStore();
    connect();
  }

  private void connect() {
    tracker = new JoinTracker(joinStore);
    events = newEvents(tracker);
    joins = JoinCoordinator.builder(this::open, events, tracker).build();
    outbox = OutboxBuilder.of(this::open, events).joins(joins).build();
  }

  @Override
  public final LeasedEventStore broken() {
    return newEvents(
        (conn, status, ids) -> {
          throw new IllegalStateException("broken hook");
        });
  }

  @Override
  public final LeasedEventStore events() {
    return events;
  }

  @Override
  public final JoinStore joinStore() {
    return joinStore;
  }

  @Override
  public final JoinTracker tracker() {
    return tracker;
  }

  @Override
  public final Outbox outbox() {
    return outbox;
  }

  @Override
  public final JoinCoordinator joins() {
    return joins;
  }
}

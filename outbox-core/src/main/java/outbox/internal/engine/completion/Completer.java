package outbox.internal.engine.completion;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.Outcome.Dead;
import outbox.internal.engine.delivery.Outcome.Defer;
import outbox.internal.engine.delivery.Outcome.Done;
import outbox.internal.engine.delivery.Outcome.Retry;
import outbox.internal.engine.delivery.Stage;
import outbox.internal.engine.health.DatabaseHealth;
import outbox.internal.engine.health.EngineConnections;
import outbox.internal.engine.lease.OwnerTokens;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.LeasedEventStore.RowState;

/**
 * Stores outcomes in groups. A delivery stays in flight, and so keeps its lease, until its outcome
 * is confirmed; a flush that failed or whose commit is in doubt is repeated.
 */
public final class Completer {
  private static final String OPERATION = "completion";
  private static final Duration LOCKED_ROW_PAUSE = Duration.ofMillis(20);

  private final CompletionQueue queue;
  private final LeasedEventStore store;
  private final EngineConnections connections;
  private final DatabaseHealth health;
  private final OwnerTokens tokens;
  private final DeliveryResults results;

  public Completer(
      CompletionQueue queue,
      LeasedEventStore store,
      EngineConnections connections,
      DatabaseHealth health,
      OwnerTokens tokens,
      DeliveryResults results) {
    this.queue = queue;
    this.store = store;
    this.connections = connections;
    this.health = health;
    this.tokens = tokens;
    this.results = results;
  }

  /** Whether outcomes are stored as fast as they come. */
  public boolean hasRoom() {
    return queue.hasRoom();
  }

  public void submit(Delivery delivery, Outcome outcome) {
    delivery.handled(outcome);
    queue.add(delivery);
  }

  /** Takes note of an outcome that the listener's own transaction has stored. */
  public void stored(Delivery delivery, Outcome outcome, String owner) {
    delivery.stored(outcome);
    confirmed(delivery, owner);
  }

  /** Stores one batch, if there is one; returns when the next is due, null if there is none. */
  public @Nullable Duration flushOne() {
    List<Delivery> batch = queue.pollBatch();
    Duration pause = batch.isEmpty() ? Duration.ZERO : flush(batch);
    if (!pause.isZero()) {
      return pause;
    }
    return queue.isEmpty()
        ? null
        : Duration.ofNanos(Math.max(0, queue.dueAt() - System.nanoTime()));
  }

  private Duration flush(List<Delivery> batch) {
    List<Delivery> open = new ArrayList<>(batch);
    open.removeIf(this::dropIfLost);
    try {
      List<Delivery> locked = connections.call(OPERATION, c -> timed(c, open));
      queue.postpone(locked);
      boolean allLocked = !locked.isEmpty() && locked.size() == open.size();
      return allLocked ? LOCKED_ROW_PAUSE : Duration.ZERO;
    } catch (RuntimeException | Error e) {
      open.removeIf(delivery -> delivery.stage().isStored());
      open.forEach(Delivery::flushFailed);
      queue.putBack(open);
      return health.failed(OPERATION, e);
    }
  }

  private List<Delivery> timed(Connection connection, List<Delivery> batch) {
    long begun = System.nanoTime();
    List<Delivery> locked = store(connection, batch);
    results.flushed(batch.size() - locked.size(), Duration.ofNanos(System.nanoTime() - begun));
    return locked;
  }

  private boolean dropIfLost(Delivery delivery) {
    if (delivery.isLost()) {
      results.lost(delivery);
    }
    return delivery.isLost();
  }

  /** Returns the deliveries whose rows are still ours but locked by someone else's transaction. */
  private List<Delivery> store(Connection connection, List<Delivery> batch) {
    Map<Group, List<Delivery>> groups = new LinkedHashMap<>();
    Group last = null;
    List<Delivery> members = List.of();
    for (Delivery delivery : batch) {
      if (last == null || !last.includes(delivery)) {
        last = Group.of(delivery);
        members = groups.computeIfAbsent(last, group -> new ArrayList<>());
      }
      members.add(delivery);
    }
    List<Delivery> unmatched = new ArrayList<>();
    groups.forEach(
        (group, deliveries) -> {
          Set<String> changed = apply(connection, group, deliveries);
          for (Delivery delivery : deliveries) {
            if (changed.contains(delivery.id())) {
              confirm(delivery, group.owner());
            } else {
              unmatched.add(delivery);
            }
          }
        });
    return unmatched.isEmpty() ? List.of() : judge(connection, unmatched);
  }

  private Set<String> apply(Connection connection, Group group, List<Delivery> deliveries) {
    Outcome outcome = group.outcome();
    if (outcome instanceof Done) {
      return store.ack(connection, group.owner(), ids(deliveries));
    }
    if (outcome instanceof Defer defer) {
      return store.defer(
          connection, group.owner(), ids(deliveries), defer.delay(), defer.listeners());
    }
    List<Failure> failures =
        deliveries.stream()
            .map(delivery -> failure(delivery.id(), Objects.requireNonNull(delivery.outcome())))
            .toList();
    return group.dead()
        ? store.fail(connection, group.owner(), failures)
        : store.abandon(connection, group.owner(), failures);
  }

  private List<Delivery> judge(Connection connection, List<Delivery> unmatched) {
    Map<String, RowState> rows = store.inspect(connection, ids(unmatched));
    List<Delivery> locked = new ArrayList<>();
    for (Delivery delivery : unmatched) {
      RowState row = rows.get(delivery.id());
      if (row != null && row.status().isLive() && isHeldFor(delivery, row.owner())) {
        locked.add(delivery);
      } else if (isStoredAlready(delivery, row)) {
        confirm(delivery, delivery.hold().owner());
      } else {
        results.lost(delivery);
      }
    }
    return locked;
  }

  /**
   * Held by this delivery, or claimed again by this process, which is about to hand the token over.
   */
  private boolean isHeldFor(Delivery delivery, @Nullable String owner) {
    return owner != null
        && (owner.equals(delivery.hold().owner())
            || (results.isInFlight(delivery) && tokens.isOurs(owner)));
  }

  /** Whether an earlier flush, whose commit was in doubt, did reach the database after all. */
  private static boolean isStoredAlready(Delivery delivery, @Nullable RowState row) {
    if (row != null && row.status() == EventStatus.DONE) {
      return Objects.equals(row.processedBy(), delivery.hold().owner());
    }
    return delivery.stage() == Stage.IN_DOUBT && (row == null || row.owner() == null);
  }

  private void confirm(Delivery delivery, @Nullable String storedAs) {
    delivery.settled();
    confirmed(delivery, storedAs);
  }

  /**
   * Races with the claimer: a retry may be due and claimed again by this process before the
   * delivery has left the in-flight set, which then took the new token over. That lease is given
   * back.
   */
  private void confirmed(Delivery delivery, @Nullable String storedAs) {
    results.confirmed(delivery);
    @Nullable String owner = delivery.hold().owner();
    if (owner != null && !owner.equals(storedAs)) {
      submit(delivery.unread(), Outcome.RELEASE);
    }
  }

  private static List<String> ids(List<Delivery> deliveries) {
    return deliveries.stream().map(Delivery::id).toList();
  }

  /** What the store is told of an event that failed. */
  public static Failure failure(String id, Outcome outcome) {
    if (outcome instanceof Retry retry) {
      return new Failure(id, retry.delay(), retry.error(), retry.listeners());
    }
    if (outcome instanceof Dead dead) {
      return new Failure(id, Duration.ZERO, dead.error(), dead.listeners());
    }
    throw new IllegalStateException("no failure: " + outcome);
  }

  /**
   * Deliveries that one statement can store: same owner, same transition, same delay if deferred.
   */
  private record Group(String owner, boolean dead, @Nullable Outcome outcome) {

    static Group of(Delivery delivery) {
      Outcome outcome = delivery.outcome();
      boolean shared = outcome instanceof Done || outcome instanceof Defer;
      @Nullable String owner = delivery.hold().owner();
      return new Group(
          owner == null ? "" : owner, outcome instanceof Dead, shared ? outcome : null);
    }

    /** Whether the delivery is of this group for sure; most are of the one before them. */
    boolean includes(Delivery delivery) {
      return outcome != null
          && outcome == delivery.outcome()
          && owner.equals(delivery.hold().owner());
    }
  }
}

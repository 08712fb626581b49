package outbox.internal.engine.lease;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.EventStore;
import outbox.spi.LeasedEventStore;

/**
 * Lets a plain {@link EventStore} run in the engine, on a single node: whatever this process works
 * on counts as leased to it, because there is no other node.
 */
public final class UnleasedStore implements LeasedEventStore {
  private final EventStore store;
  private final String owner;
  private final Map<String, Long> deferredUntil = new ConcurrentHashMap<>();
  private final Map<String, String> listeners = new ConcurrentHashMap<>();
  private final Set<String> settledSincePoll = ConcurrentHashMap.newKeySet();

  public UnleasedStore(EventStore store, String owner) {
    this.store = store;
    this.owner = owner;
  }

  @Override
  public void insertNew(Connection conn, EventEnvelope event) {
    store.insertNew(conn, event);
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    return store.markDone(conn, eventId);
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
    return store.markRetry(conn, eventId, nextAt, error);
  }

  @Override
  public int markDead(Connection conn, String eventId, @Nullable String error) {
    return store.markDead(conn, eventId, error);
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    return store.pollPending(conn, now, skipRecent, limit);
  }

  @Override
  public void check(Connection conn) {}

  @Override
  public Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    store.insertNew(conn, event);
    return Optional.empty();
  }

  @Override
  public Map<String, String> insertAll(
      Connection conn, Collection<EventEnvelope> events, @Nullable Lease lease) {
    events.forEach(event -> store.insertNew(conn, event));
    return Map.of();
  }

  @Override
  public Optional<String> findByKey(Connection conn, @Nullable String tenantId, String key) {
    throw new UnsupportedOperationException("a plain EventStore cannot be asked for keys");
  }

  @Override
  public <T> T inTransaction(Connection conn, Supplier<T> work) {
    return work.get();
  }

  @Override
  public Claimed claim(Connection conn, ClaimRequest request) {
    settledSincePoll.clear();
    long now = System.nanoTime();
    deferredUntil.values().removeIf(until -> now - until >= 0);
    int limit = request.limit() + deferredUntil.size();
    List<ClaimedEvent> events =
        store.pollPending(conn, Instant.now(), request.skipRecent(), limit).stream()
            .filter(event -> !deferredUntil.containsKey(event.eventId()))
            .limit(request.limit())
            .map(
                event ->
                    new ClaimedEvent(
                        event, false, 0, null, listeners.get(event.eventId()), null, 1))
            .toList();
    return new Claimed(events, null, List.of());
  }

  /** Whether a row that the last poll may have shown as pending has ended since. */
  public boolean isSettled(String eventId) {
    return settledSincePoll.contains(eventId);
  }

  @Override
  public List<ClaimedEvent> claimById(
      Connection conn, String owner, Duration lease, Collection<String> eventIds) {
    throw new UnsupportedOperationException("a plain EventStore has no leases");
  }

  @Override
  public Set<String> ack(Connection conn, String owner, Collection<String> eventIds) {
    Set<String> done = changed(eventIds, id -> store.markDone(conn, id) > 0);
    settledSincePoll.addAll(done);
    done.forEach(listeners::remove);
    return done;
  }

  @Override
  public Set<String> abandon(Connection conn, String owner, Collection<Failure> failures) {
    Set<String> changed = new HashSet<>();
    for (Failure failure : failures) {
      Instant next = Instant.now().plus(failure.delay());
      if (store.markRetry(conn, failure.eventId(), next, failure.error()) > 0) {
        changed.add(failure.eventId());
        remember(failure.eventId(), failure.listeners());
      }
    }
    return changed;
  }

  /** The store has no place for it, so this process remembers; after its end all run again. */
  private void remember(String eventId, @Nullable String states) {
    if (states != null) {
      listeners.put(eventId, states);
    }
  }

  /** The store cannot put an event off without counting an attempt, so this process remembers. */
  @Override
  public Set<String> defer(
      Connection conn,
      String owner,
      Collection<String> eventIds,
      Duration delay,
      @Nullable String states) {
    eventIds.forEach(id -> remember(id, states));
    long until = System.nanoTime() + delay.toNanos();
    if (!delay.isZero()) {
      eventIds.forEach(id -> deferredUntil.put(id, until));
    }
    return Set.copyOf(eventIds);
  }

  @Override
  public Set<String> fail(Connection conn, String owner, Collection<Failure> failures) {
    Set<String> changed = new HashSet<>();
    for (Failure failure : failures) {
      if (store.markDead(conn, failure.eventId(), failure.error()) > 0) {
        changed.add(failure.eventId());
      }
    }
    settledSincePoll.addAll(changed);
    changed.forEach(listeners::remove);
    return changed;
  }

  @Override
  public Set<String> renew(
      Connection conn, String owner, Collection<String> eventIds, Duration lease) {
    return Set.copyOf(eventIds);
  }

  @Override
  public Set<String> markStarted(
      Connection conn, String owner, Collection<String> eventIds, Duration lease) {
    return Set.copyOf(eventIds);
  }

  /** Only asked about events that could not be changed: on a single node those are done. */
  @Override
  public Map<String, RowState> inspect(Connection conn, Collection<String> eventIds) {
    Map<String, RowState> rows = new HashMap<>();
    eventIds.forEach(id -> rows.put(id, new RowState(EventStatus.DONE, null, owner, 0)));
    return rows;
  }

  @Override
  public int reapExpired(Connection conn, Duration grace, int limit, int window) {
    return 0;
  }

  @Override
  public Instant now(Connection conn) {
    return Instant.now();
  }

  @Override
  public List<DeadLetter> deadLetters(
      Connection conn, DeadLetterFilter filter, @Nullable Position after, int limit) {
    throw unsupported();
  }

  @Override
  public Optional<DeadLetter> deadLetter(Connection conn, String eventId) {
    throw unsupported();
  }

  @Override
  public DeadCount countDead(Connection conn, DeadLetterFilter filter, int window) {
    throw unsupported();
  }

  @Override
  public Set<String> replay(
      Connection conn,
      Collection<String> eventIds,
      String by,
      boolean failedOnly,
      @Nullable Instant diedBefore) {
    throw unsupported();
  }

  @Override
  public Set<String> discard(
      Connection conn,
      Collection<String> eventIds,
      String by,
      String error,
      @Nullable Instant diedBefore) {
    throw unsupported();
  }

  @Override
  public int backlog(Connection conn, int most) {
    throw unsupported();
  }

  @Override
  public int purgePayloads(Connection conn, Duration doneFor, int limit) {
    throw unsupported();
  }

  @Override
  public int purgeDone(Connection conn, Duration doneFor, int limit) {
    throw unsupported();
  }

  @Override
  public int purgeDead(Connection conn, Duration deadFor, int limit) {
    throw unsupported();
  }

  private static UnsupportedOperationException unsupported() {
    return new UnsupportedOperationException(
        "a plain EventStore knows neither dead letters nor retention; use a LeasedEventStore");
  }

  private static Set<String> changed(Collection<String> ids, Predicate<String> change) {
    Set<String> changed = new HashSet<>();
    for (String id : ids) {
      if (change.test(id)) {
        changed.add(id);
      }
    }
    return changed;
  }
}

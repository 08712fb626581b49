package outbox.testing.memory;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.OrderedEvents;
import outbox.spi.TerminalHook;

/**
 * A store in memory with the leases, the fences and the transactions (READ COMMITTED, row locks,
 * savepoints) of the stores on databases, for tests of applications. Thread-safe.
 *
 * <p>It works on its own {@link #connections()} only. They know transactions but no SQL.
 */
public final class InMemoryEventStore extends InMemoryEndedStore implements LeasedEventStore {
  private final InMemoryLeases leases;
  private final InMemoryUnfenced unfenced;
  private final InMemoryEndings endings;
  private final OrderedEvents order;

  /** A store that runs by the system's clock and keeps completed events. */
  public InMemoryEventStore() {
    this(Clock.systemUTC());
  }

  /** A store for which it is as late as the clock says, and which keeps completed events. */
  public InMemoryEventStore(Clock clock) {
    this(requireNonNull(clock, "clock"), RowKind.EVENTS);
  }

  /** A store whose rows are something else than events. */
  InMemoryEventStore(Clock clock, RowKind kind) {
    this(InMemoryTable.of(kind, clock), false, null);
  }

  private InMemoryEventStore(
      InMemoryTable table, boolean deleteWhenDone, @Nullable TerminalHook hook) {
    super(table);
    this.leases = new InMemoryLeases(table, deleteWhenDone);
    this.unfenced = new InMemoryUnfenced(table.rows(), leases);
    this.endings = new InMemoryEndings(table, hook);
    this.order = new InMemoryOrder(table, leases, this::expiring);
  }

  /** A view of the same events that deletes those it completes, but for those with a key. */
  public InMemoryEventStore deletingWhenDone() {
    return new InMemoryEventStore(table, true, null);
  }

  /** A view of the same events that tells the hook of those it ends; it keeps them. */
  public InMemoryEventStore notifying(TerminalHook hook) {
    return new InMemoryEventStore(table, false, requireNonNull(hook, "hook"));
  }

  /** Connections in auto-commit mode; closing one rolls back what it has not committed. */
  public ConnectionProvider connections() {
    return () -> InMemoryConnection.open(rows());
  }

  /** Transactions bound to threads that see rollbacks to savepoints. */
  public InMemoryTransactions transactions() {
    return new InMemoryTransactions(connections(), true);
  }

  /** The event as committed. */
  public Optional<StoredEvent> find(String eventId) {
    return rows().locked(() -> Optional.ofNullable(rows().find(eventId)).map(Rows.Row::committed));
  }

  /** All events as committed, by id. */
  public List<StoredEvent> findAll() {
    return rows().locked(() -> rows().committed());
  }

  /** How many committed events have this status. */
  public int count(EventStatus status) {
    return rows().locked(() -> rows().count(status));
  }

  @Override
  public void check(Connection conn) {
    session(conn);
  }

  @Override
  public void insertNew(Connection conn, EventEnvelope event) {
    insert(conn, event, null);
  }

  @Override
  public Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    return event.orderingKey() == null
        ? insertRow(conn, StoredEvent.inserted(event, lease, now()))
        : Optional.ofNullable(order.insert(conn, event, lease).existing());
  }

  @Override
  public OrderedEvents ordered() {
    return order;
  }

  Optional<String> insertRow(Connection conn, StoredEvent row) {
    return table.insert(session(conn), row);
  }

  @Override
  public Optional<String> findByKey(Connection conn, @Nullable String tenantId, String key) {
    Session session = session(conn);
    return session.execute(() -> table.keys().find(session, tenantId, key));
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    return endings
        .run(
            conn,
            EventStatus.DONE,
            session -> unfenced.mark(session, eventId, row -> row.done(now())))
        .size();
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
    Instant at = nextAt.truncatedTo(ChronoUnit.MICROS);
    return unfenced.mark(session(conn), eventId, row -> row.retry(at, error)).size();
  }

  @Override
  public int markDead(Connection conn, String eventId, @Nullable String error) {
    return endings
        .run(
            conn,
            EventStatus.DEAD,
            session -> unfenced.mark(session, eventId, row -> row.dead(error, now())))
        .size();
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    return unfenced.pending(session(conn), now, skipRecent, limit);
  }

  @Override
  public Map<String, String> insertAll(
      Connection conn, Collection<EventEnvelope> events, @Nullable Lease lease) {
    return inTransaction(
        conn,
        () -> {
          Map<String, String> firsts = new LinkedHashMap<>();
          for (EventEnvelope event : events) {
            insert(conn, event, lease).ifPresent(first -> firsts.put(event.eventId(), first));
          }
          return firsts;
        });
  }

  @Override
  public <T> T inTransaction(Connection conn, Supplier<T> work) {
    return session(conn).inTransaction(work);
  }

  @Override
  public boolean mayHaveDue(Connection conn) {
    return leases.anyDue(session(conn));
  }

  @Override
  public Claimed claim(Connection conn, ClaimRequest request) {
    return leases.claim(session(conn), request, expiring(conn, request.owner()));
  }

  @Override
  public List<ClaimedEvent> claimById(
      Connection conn, String owner, Duration lease, Collection<String> eventIds) {
    return leases.claimById(session(conn), owner, lease, eventIds, expiring(conn, owner));
  }

  private Consumer<List<String>> expiring(Connection conn, String owner) {
    return ids ->
        fail(conn, owner, ids.stream().map(id -> new Failure(id, Duration.ZERO, EXPIRED)).toList());
  }

  @Override
  public Set<String> ack(Connection conn, String owner, Collection<String> eventIds) {
    return endings.run(
        conn,
        EventStatus.DONE,
        session -> leases.transition(session, owner, eventIds, (row, now) -> row.done(now)));
  }

  @Override
  public Set<String> abandon(Connection conn, String owner, Collection<Failure> failures) {
    return leases.transitionEach(session(conn), owner, failures, StoredEvent::abandoned);
  }

  @Override
  public Set<String> defer(
      Connection conn,
      String owner,
      Collection<String> eventIds,
      Duration delay,
      @Nullable String listeners) {
    return leases.transition(
        session(conn), owner, eventIds, (row, now) -> row.deferred(now.plus(delay), listeners));
  }

  @Override
  public Set<String> fail(Connection conn, String owner, Collection<Failure> failures) {
    return endings.run(
        conn,
        EventStatus.DEAD,
        session -> leases.transitionEach(session, owner, failures, StoredEvent::failed));
  }

  @Override
  public Set<String> renew(
      Connection conn, String owner, Collection<String> eventIds, Duration lease) {
    return leases.transition(
        session(conn), owner, eventIds, (row, now) -> row.leasedUntil(now.plus(lease), false));
  }

  @Override
  public Set<String> markStarted(
      Connection conn, String owner, Collection<String> eventIds, Duration lease) {
    return leases.transition(
        session(conn), owner, eventIds, (row, now) -> row.leasedUntil(now.plus(lease), true));
  }

  @Override
  public Map<String, RowState> inspect(Connection conn, Collection<String> eventIds) {
    return leases.inspect(session(conn), eventIds);
  }

  @Override
  public int reapExpired(Connection conn, Duration grace, int limit, int window) {
    return leases.reap(session(conn), grace, limit, window);
  }

  Rows rows() {
    return table.rows();
  }

  Instant now() {
    return table.now();
  }
}

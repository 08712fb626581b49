package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.pool.BorrowedConnection;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.store.Endings;
import outbox.jdbc.internal.store.EventTable;
import outbox.jdbc.internal.store.KeyLookup;
import outbox.jdbc.internal.store.Leases;
import outbox.jdbc.internal.store.ManyInserts;
import outbox.jdbc.internal.store.PlainInserts;
import outbox.jdbc.internal.store.RowStates;
import outbox.jdbc.internal.store.TableKind;
import outbox.jdbc.internal.store.UnfencedRows;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.OrderedEvents;
import outbox.spi.TerminalHook;

/**
 * The event store in a relational database: PostgreSQL, MariaDB, MySQL, H2 or SQL Server, found
 * from the first connection it is given. The table comes from {@link OutboxSchema}. Thread-safe.
 */
public final class JdbcOutboxRepository extends JdbcEndedStore implements LeasedEventStore {
  private final @Nullable Endings endings;
  private final OrderedEvents order = new JdbcOrderedEvents(this::table, this::expiring);
  private volatile @Nullable EventTable table;
  private volatile String server = "unknown";

  /** A store with every default. */
  public JdbcOutboxRepository() {
    this(builder().options());
  }

  JdbcOutboxRepository(StoreOptions options) {
    super(options);
    this.endings = options.hook() == null ? null : new Endings(options.hook());
  }

  /** Starts a builder of a store with options. */
  public static JdbcOutboxRepositoryBuilder builder() {
    return new JdbcOutboxRepositoryBuilder();
  }

  /** Returns a copy of this store with this hook and no other. */
  JdbcOutboxRepository hooked(TerminalHook hook) {
    return new JdbcOutboxRepository(options.hooked(hook));
  }

  /** Returns a copy of this store that also checks and deploys these tables of joins. */
  JdbcOutboxRepository withJoins(JdbcJoinStore joins) {
    return new JdbcOutboxRepository(options.withJoins(joins));
  }

  @Nullable JdbcJoinStore joins() {
    return options.joins();
  }

  /** Product and version of the server as of the last check. */
  String server() {
    return server;
  }

  String tableName() {
    return options.table().toString();
  }

  /** Creates what is missing of the tables that this store works on. */
  void deploySchema(ConnectionProvider connections) {
    switch (options.kind()) {
      case OUTBOX -> {
        OutboxSchema events = OutboxSchema.of(connections).tableName(tableName());
        JdbcJoinStore joins = options.joins();
        (joins == null ? events : events.withJoins(joins.joinTableName())).deploy();
      }
      case INBOX -> InboxSchema.of(connections).tableName(tableName()).deploy();
    }
  }

  @Override
  public void check(Connection conn) {
    server = Dialects.checkedServer(conn);
    switch (options.kind()) {
      case OUTBOX -> {
        JdbcJoinStore joins = options.joins();
        if (joins == null) {
          OutboxSchema.of(BorrowedConnection.lent(conn)).tableName(tableName()).require();
        } else {
          joins.check(conn);
        }
      }
      case INBOX -> InboxSchema.of(BorrowedConnection.lent(conn)).tableName(tableName()).require();
    }
  }

  @Override
  public void insertNew(Connection conn, EventEnvelope event) {
    insert(conn, event, null);
  }

  @Override
  public Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    EventTable table = table(conn);
    if (event.orderingKey() != null) {
      return Optional.ofNullable(order.insert(conn, event, lease).existing());
    }
    if (event.hasIdempotencyKey()) {
      return OwnTransaction.single(
          conn, table.dialect(), () -> table.keyedInserts().insert(conn, event, lease));
    }
    PlainInserts inserts = new PlainInserts(table.statements());
    OwnTransaction.single(conn, table.dialect(), () -> inserts.insert(conn, event, lease));
    return Optional.empty();
  }

  @Override
  public Map<String, String> insertAll(
      Connection conn, Collection<EventEnvelope> events, @Nullable Lease lease) {
    ManyInserts inserts = new ManyInserts(table(conn), events, lease);
    List<EventEnvelope> ordered =
        events.stream().filter(event -> event.orderingKey() != null).toList();
    if (ordered.isEmpty()) {
      return inserts.run(conn);
    }
    return inTransaction(
        conn,
        () -> {
          Map<String, String> firsts = new HashMap<>(inserts.run(conn));
          for (EventEnvelope event : ordered) {
            insert(conn, event, lease).ifPresent(first -> firsts.put(event.eventId(), first));
          }
          return firsts;
        });
  }

  @Override
  public @Nullable OrderedEvents ordered() {
    return options.kind() == TableKind.OUTBOX ? order : null;
  }

  @Override
  public Optional<String> findByKey(Connection conn, @Nullable String tenantId, String key) {
    Map<String, String> found =
        new KeyLookup(table(conn).statements()).find(conn, "find_keys", tenantId, List.of(key));
    return Optional.ofNullable(found.get(key));
  }

  @Override
  public <T> T inTransaction(Connection conn, Supplier<T> work) {
    return OwnTransaction.of(conn, table(conn).dialect(), work);
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    boolean delete = options.deleteWhenDone();
    return ending(conn, EventStatus.DONE, () -> unfenced(conn).done(conn, eventId, delete)).size();
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
    return unfenced(conn).retry(conn, eventId, nextAt, options.fit(error));
  }

  @Override
  public int markDead(Connection conn, String eventId, @Nullable String error) {
    String text = options.fit(error);
    return ending(conn, EventStatus.DEAD, () -> unfenced(conn).dead(conn, eventId, text)).size();
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    return unfenced(conn).pending(conn, now, skipRecent, limit);
  }

  private UnfencedRows unfenced(Connection conn) {
    return new UnfencedRows(table(conn).statements());
  }

  @Override
  public boolean mayHaveDue(Connection conn) {
    Statements sql = table(conn).statements();
    return !sql.query(conn, "any_due", sql.parameters(), row -> true).isEmpty();
  }

  @Override
  public Claimed claim(Connection conn, ClaimRequest request) {
    return table(conn).leases().claim(conn, request, expiring(conn, request.owner()));
  }

  @Override
  public List<ClaimedEvent> claimById(
      Connection conn, String owner, Duration lease, Collection<String> eventIds) {
    return eventIds.isEmpty()
        ? List.of()
        : table(conn).leases().claimById(conn, owner, lease, eventIds, expiring(conn, owner));
  }

  private Consumer<List<String>> expiring(Connection conn, String owner) {
    return ids ->
        fail(conn, owner, ids.stream().map(id -> new Failure(id, Duration.ZERO, EXPIRED)).toList());
  }

  @Override
  public Set<String> ack(Connection conn, String owner, Collection<String> eventIds) {
    if (options.deleteWhenDone()) {
      return eventIds.isEmpty() ? Set.of() : table(conn).leases().deleteDone(conn, owner, eventIds);
    }
    return ending(conn, EventStatus.DONE, () -> move(conn, "ack", owner, eventIds, nothing -> {}));
  }

  @Override
  public Set<String> abandon(Connection conn, String owner, Collection<Failure> failures) {
    return moveEach(conn, "abandon", owner, failures);
  }

  @Override
  public Set<String> defer(
      Connection conn,
      String owner,
      Collection<String> eventIds,
      Duration delay,
      @Nullable String listeners) {
    return move(conn, "defer", owner, eventIds, more -> Leases.deferring(more, delay, listeners));
  }

  @Override
  public Set<String> fail(Connection conn, String owner, Collection<Failure> failures) {
    return ending(conn, EventStatus.DEAD, () -> moveEach(conn, "fail", owner, failures));
  }

  @Override
  public Set<String> renew(
      Connection conn, String owner, Collection<String> eventIds, Duration lease) {
    return move(conn, "renew", owner, eventIds, more -> more.duration("lease", lease));
  }

  @Override
  public Set<String> markStarted(
      Connection conn, String owner, Collection<String> eventIds, Duration lease) {
    return move(conn, "mark_started", owner, eventIds, more -> more.duration("lease", lease));
  }

  @Override
  public Map<String, RowState> inspect(Connection conn, Collection<String> eventIds) {
    return new RowStates(table(conn).statements()).find(conn, eventIds);
  }

  @Override
  public int reapExpired(Connection conn, Duration grace, int limit, int window) {
    return table(conn).leases().reap(conn, grace, limit, window);
  }

  /** Runs a transition to an end; every one of them goes through here. */
  private Set<String> ending(
      Connection conn, EventStatus status, Supplier<Set<String>> transition) {
    return endings == null
        ? transition.get()
        : endings.run(conn, table(conn).dialect(), status, transition);
  }

  private Set<String> move(
      Connection conn,
      String transition,
      String owner,
      Collection<String> ids,
      Consumer<Parameters> more) {
    return ids.isEmpty() ? Set.of() : table(conn).leases().move(conn, transition, owner, ids, more);
  }

  private Set<String> moveEach(
      Connection conn, String transition, String owner, Collection<Failure> failures) {
    if (failures.isEmpty()) {
      return Set.of();
    }
    Map<String, Failure> byId = new LinkedHashMap<>();
    for (Failure failure : failures) {
      String error = options.fit(failure.error());
      byId.put(
          failure.eventId(),
          new Failure(failure.eventId(), failure.delay(), error, failure.listeners()));
    }
    return table(conn).leases().moveEach(conn, transition, owner, byId.values());
  }

  @Override
  EventTable table(Connection conn) {
    EventTable found = table;
    if (found == null) {
      found = options.table(Dialects.of(requireNonNull(conn, "conn")));
      table = found;
    }
    return found;
  }
}

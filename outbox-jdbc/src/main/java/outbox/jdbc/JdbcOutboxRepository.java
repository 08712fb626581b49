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
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.TerminalHook;

/**
 * The event store in a relational database: PostgreSQL, MariaDB, MySQL, H2 or SQL Server, found
 * from the first connection it is given. The table comes from {@link OutboxSchema}. Thread-safe.
 */
public final class JdbcOutboxRepository implements LeasedEventStore {
  /** The characters kept of an error by default: {@value}. */
  public static final int DEFAULT_MAX_ERROR_LENGTH = 4000;

  private final TableKind kind;
  private final TableName table;
  private final boolean deleteWhenDone;
  private final int maxErrorLength;
  private final @Nullable String nowExpression;
  private final @Nullable Endings endings;
  private final Version1Payload version1 = new Version1Payload();
  private volatile @Nullable Statements statements;

  /** A store with every default. */
  public JdbcOutboxRepository() {
    this(builder());
  }

  private JdbcOutboxRepository(Builder builder) {
    this.kind = builder.kind;
    this.table = builder.table;
    this.deleteWhenDone = builder.deleteWhenDone;
    this.maxErrorLength = builder.maxErrorLength;
    this.nowExpression = builder.nowExpression;
    this.endings = builder.terminalHook == null ? null : new Endings(builder.terminalHook);
  }

  public static Builder builder() {
    return new Builder();
  }

  /** The same store with this hook and no other. */
  JdbcOutboxRepository hooked(TerminalHook hook) {
    Builder copy =
        builder().deleteWhenDone(deleteWhenDone).maxErrorLength(maxErrorLength).terminalHook(hook);
    copy.kind = kind;
    copy.table = table;
    copy.nowExpression = nowExpression;
    return copy.build();
  }

  String tableName() {
    return table.toString();
  }

  /** Creates what is missing of the table that this store works on. */
  void deploySchema(ConnectionProvider connections) {
    switch (kind) {
      case OUTBOX -> OutboxSchema.of(connections).tableName(tableName()).deploy();
      case INBOX -> InboxSchema.of(connections).tableName(tableName()).deploy();
    }
  }

  @Override
  public void check(Connection conn) {
    switch (kind) {
      case OUTBOX -> OutboxSchema.require(conn, table);
      case INBOX -> InboxSchema.require(conn, table);
    }
  }

  @Override
  public void insertNew(Connection conn, EventEnvelope event) {
    insert(conn, event, null);
  }

  @Override
  public Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    Statements sql = statements(conn);
    if (event.hasIdempotencyKey()) {
      return OwnTransaction.single(
          conn, sql.dialect(), () -> sql.keyedInserts().insert(conn, event, lease));
    }
    Parameters parameters = EventRows.parameters(sql, event, lease);
    OwnTransaction.single(conn, sql.dialect(), () -> sql.update(conn, "insert", parameters));
    return Optional.empty();
  }

  @Override
  public Map<String, String> insertAll(Connection conn, Collection<EventEnvelope> events) {
    return new ManyInserts(statements(conn), events).run(conn);
  }

  @Override
  public Optional<String> findByKey(Connection conn, @Nullable String tenantId, String key) {
    Map<String, String> found =
        new KeyLookup(statements(conn)).find(conn, "find_keys", tenantId, List.of(key));
    return Optional.ofNullable(found.get(key));
  }

  @Override
  public <T> T inTransaction(Connection conn, Supplier<T> work) {
    return OwnTransaction.of(conn, statements(conn).dialect(), work);
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    Statements sql = statements(conn);
    Parameters parameters = sql.parameters().text("id", eventId);
    if (deleteWhenDone && sql.update(conn, "mark_done_delete", parameters) > 0) {
      return 1;
    }
    return ending(
            conn,
            EventStatus.DONE,
            () -> ifChanged(eventId, sql.update(conn, "mark_done", parameters)))
        .size();
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
    Statements sql = statements(conn);
    Parameters parameters =
        sql.parameters()
            .text("id", eventId)
            .instant("next_at", requireNonNull(nextAt, "nextAt"))
            .text("error", ErrorText.fit(error, maxErrorLength));
    return sql.update(conn, "mark_retry", parameters);
  }

  @Override
  public int markDead(Connection conn, String eventId, @Nullable String error) {
    Statements sql = statements(conn);
    Parameters parameters =
        sql.parameters().text("id", eventId).text("error", ErrorText.fit(error, maxErrorLength));
    return ending(
            conn,
            EventStatus.DEAD,
            () -> ifChanged(eventId, sql.update(conn, "mark_dead", parameters)))
        .size();
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    Statements sql = statements(conn);
    EventRows rows = new EventRows(sql);
    Parameters parameters =
        sql.parameters()
            .instant("at", now)
            .instant("created_before", now.minus(skipRecent))
            .number("limit", limit);
    return rows.finishedEvents(conn, sql.query(conn, "poll_pending", parameters, rows::event));
  }

  @Override
  public boolean mayHaveDue(Connection conn) {
    Statements sql = statements(conn);
    return !sql.query(conn, "any_due", sql.parameters(), row -> true).isEmpty();
  }

  @Override
  public Claimed claim(Connection conn, ClaimRequest request) {
    return statements(conn).leases().claim(conn, request, expiring(conn, request.owner()));
  }

  @Override
  public List<ClaimedEvent> claimById(
      Connection conn, String owner, Duration lease, Collection<String> eventIds) {
    return eventIds.isEmpty()
        ? List.of()
        : statements(conn).leases().claimById(conn, owner, lease, eventIds, expiring(conn, owner));
  }

  private Consumer<List<String>> expiring(Connection conn, String owner) {
    return ids ->
        fail(conn, owner, ids.stream().map(id -> new Failure(id, Duration.ZERO, EXPIRED)).toList());
  }

  @Override
  public Set<String> ack(Connection conn, String owner, Collection<String> eventIds) {
    if (deleteWhenDone) {
      return eventIds.isEmpty()
          ? Set.of()
          : statements(conn).leases().deleteDone(conn, owner, eventIds);
    }
    return ending(conn, EventStatus.DONE, () -> move(conn, "ack", owner, eventIds, nothing -> {}));
  }

  @Override
  public Set<String> abandon(Connection conn, String owner, Collection<Failure> failures) {
    return moveEach(conn, "abandon", owner, failures);
  }

  @Override
  public Set<String> defer(
      Connection conn, String owner, Collection<String> eventIds, Duration delay) {
    return move(conn, "defer", owner, eventIds, more -> more.duration("delay", delay));
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
    Statements sql = statements(conn);
    Map<String, RowState> states = inspected(conn, sql, "inspect", eventIds);
    if (sql.dialect().readsOldSnapshots() && !OwnTransaction.autoCommits(conn)) {
      states.putAll(inspected(conn, sql, "inspect_unlocked", states.keySet()));
    }
    return states;
  }

  private static Map<String, RowState> inspected(
      Connection conn, Statements sql, String name, Collection<String> eventIds) {
    Map<String, RowState> states = new HashMap<>();
    for (List<String> chunk : Chunks.of(eventIds, sql.dialect().maxIds())) {
      Parameters parameters = sql.dialect().ids(sql.parameters(), chunk);
      sql.query(conn, name, parameters, EventRows::state)
          .forEach(entry -> states.put(entry.getKey(), entry.getValue()));
    }
    return states;
  }

  @Override
  public int reapExpired(Connection conn, Duration grace, int limit, int window) {
    return statements(conn).leases().reap(conn, grace, limit, window);
  }

  @Override
  public Instant now(Connection conn) {
    return ended(conn).now(conn);
  }

  @Override
  public List<DeadLetter> deadLetters(
      Connection conn, DeadLetterFilter filter, @Nullable Position after, int limit) {
    return ended(conn).list(conn, filter, after, limit);
  }

  @Override
  public Optional<DeadLetter> deadLetter(Connection conn, String eventId) {
    return ended(conn).find(conn, eventId);
  }

  @Override
  public DeadCount countDead(Connection conn, DeadLetterFilter filter, int window) {
    return ended(conn).count(conn, filter, window);
  }

  @Override
  public Set<String> replay(
      Connection conn, Collection<String> eventIds, String by, @Nullable Instant diedBefore) {
    return ended(conn).move(conn, "replay", eventIds, diedBefore, more -> more.text("by", by));
  }

  @Override
  public Set<String> discard(
      Connection conn,
      Collection<String> eventIds,
      String by,
      String error,
      @Nullable Instant diedBefore) {
    String text = ErrorText.fit(error, maxErrorLength);
    return ended(conn)
        .move(
            conn, "discard", eventIds, diedBefore, more -> more.text("by", by).text("error", text));
  }

  @Override
  public int backlog(Connection conn, int most) {
    return ended(conn).backlog(conn, most);
  }

  @Override
  public int purgePayloads(Connection conn, Duration doneFor, int limit) {
    boolean beside = version1.isThere(conn, statements(conn));
    return ended(conn).purgePayloads(conn, doneFor, limit, beside);
  }

  @Override
  public int purgeDone(Connection conn, Duration doneFor, int limit) {
    return ended(conn).purge(conn, "purge_done", doneFor, limit);
  }

  @Override
  public int purgeDead(Connection conn, Duration deadFor, int limit) {
    return ended(conn).purge(conn, "purge_dead", deadFor, limit);
  }

  private EndedRows ended(Connection conn) {
    return new EndedRows(statements(conn));
  }

  /** Runs a transition to an end; every one of them goes through here. */
  private Set<String> ending(
      Connection conn, EventStatus status, Supplier<Set<String>> transition) {
    return endings == null
        ? transition.get()
        : endings.run(conn, statements(conn).dialect(), status, transition);
  }

  private static Set<String> ifChanged(String eventId, int rows) {
    return rows == 0 ? Set.of() : Set.of(eventId);
  }

  private Set<String> move(
      Connection conn,
      String transition,
      String owner,
      Collection<String> ids,
      Consumer<Parameters> more) {
    return ids.isEmpty()
        ? Set.of()
        : statements(conn).leases().move(conn, transition, owner, ids, more);
  }

  private Set<String> moveEach(
      Connection conn, String transition, String owner, Collection<Failure> failures) {
    if (failures.isEmpty()) {
      return Set.of();
    }
    Map<String, Failure> byId = new LinkedHashMap<>();
    for (Failure failure : failures) {
      String error = ErrorText.fit(failure.error(), maxErrorLength);
      byId.put(failure.eventId(), new Failure(failure.eventId(), failure.delay(), error));
    }
    return statements(conn).leases().moveEach(conn, transition, owner, byId.values());
  }

  Statements statements(Connection conn) {
    Statements found = statements;
    if (found == null) {
      found = new Statements(Dialects.of(requireNonNull(conn, "conn")), kind, table, nowExpression);
      statements = found;
    }
    return found;
  }

  /** Collects the options of a store. Not thread-safe. */
  public static final class Builder {
    private TableKind kind = TableKind.OUTBOX;
    private TableName table = TableName.DEFAULT;
    private boolean deleteWhenDone;
    private int maxErrorLength = DEFAULT_MAX_ERROR_LENGTH;
    private @Nullable String nowExpression;
    private @Nullable TerminalHook terminalHook;

    private Builder() {}

    /** Another table than {@code outbox_event}: a name, or a schema and a name with a dot. */
    public Builder tableName(String tableName) {
      this.table = TableName.of(tableName);
      return this;
    }

    /**
     * Deletes events as soon as they are done instead of keeping them as DONE. Those with a key of
     * their producer are kept, or a later duplicate would not be known as one.
     */
    public Builder deleteWhenDone(boolean deleteWhenDone) {
      this.deleteWhenDone = deleteWhenDone;
      return this;
    }

    /** Cuts errors to this many characters. */
    public Builder maxErrorLength(int maxErrorLength) {
      if (maxErrorLength < 1) {
        throw new IllegalArgumentException(
            "maxErrorLength (" + maxErrorLength + ") must be at least 1");
      }
      this.maxErrorLength = maxErrorLength;
      return this;
    }

    /** Another table with leases than that of the outbox. */
    Builder kind(TableKind kind, TableName table) {
      this.kind = kind;
      this.table = table;
      return this;
    }

    /** Told of the events that end, in the transaction that ends them; joins need it. */
    public Builder terminalHook(TerminalHook terminalHook) {
      this.terminalHook = requireNonNull(terminalHook, "terminalHook");
      return this;
    }

    /** Another clock than the database's, as an SQL expression of its instant type. */
    Builder nowExpression(String nowExpression) {
      this.nowExpression = requireNonNull(nowExpression, "nowExpression");
      return this;
    }

    /**
     * Makes the store.
     *
     * @throws IllegalStateException if a hook is to be told of events that are gone by then
     */
    public JdbcOutboxRepository build() {
      if (deleteWhenDone && terminalHook != null) {
        throw new IllegalStateException(
            "deleteWhenDone (true) and terminalHook exclude each other: a join must be able to see"
                + " that a message is done; leave one of them out");
      }
      return new JdbcOutboxRepository(this);
    }
  }
}

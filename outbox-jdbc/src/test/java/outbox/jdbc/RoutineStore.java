package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.dialect.PostgresDialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.NamedStatement;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.store.ErrorText;
import outbox.jdbc.internal.store.EventRows;
import outbox.jdbc.internal.store.Leases;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore;
import outbox.spi.OrderedEvents;

/** A store that calls PostgreSQL's routines, and an ordinary one for what has no routine. */
final class RoutineStore implements LeasedEventStore {
  /** The routines' now: the database's, moved or replaced by settings of the session. */
  static final String NOW =
      "(CASE WHEN current_setting('outbox.stopped') = ''"
          + " THEN statement_timestamp() + CAST(current_setting('outbox.shift') AS interval)"
          + " ELSE CAST(current_setting('outbox.stopped') AS timestamptz) END)";

  private static final int MAX_ERROR_LENGTH = JdbcOutboxRepositoryBuilder.DEFAULT_MAX_ERROR_LENGTH;

  private final LeasedEventStore ordinary;
  private final MovableNow now;
  private final Statements statements;
  private final EventRows rows;

  RoutineStore(LeasedEventStore ordinary, MovableNow now) {
    this.ordinary = ordinary;
    this.now = now;
    this.statements = new Statements(new PostgresDialect(), TableName.DEFAULT, null, Map.of());
    this.rows = new EventRows(statements);
  }

  @Override
  public void check(Connection conn) {
    ordinary.check(conn);
  }

  @Override
  public void insertNew(Connection conn, EventEnvelope event) {
    enqueue(conn, event);
  }

  private Optional<String> enqueue(Connection conn, EventEnvelope event) {
    Parameters parameters =
        EventRows.parameters(statements, event, null)
            .text("key", event.hasIdempotencyKey() ? event.idempotencyKey() : null);
    return query(
            conn,
            "SELECT id, already_existed FROM outbox_event_enqueue(topic => :event_type, payload =>"
                + " :payload_text, correlation_id => :correlation_id, due_at => :due_at, headers =>"
                + " CAST(:headers AS json), tenant_id => :tenant_id, expires_at => :expires_at,"
                + " aggregate_type => :aggregate_type, aggregate_id => :aggregate_id, occurred_at"
                + " => :occurred_at, payload_bytes => :payload_bytes, event_id => :event_id,"
                + " idempotency_key => :key)",
            parameters,
            row ->
                row.getBoolean("already_existed")
                    ? Optional.of(row.getString("id"))
                    : Optional.<String>empty())
        .get(0);
  }

  @Override
  public Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    return lease == null ? enqueue(conn, event) : ordinary.insert(conn, event, lease);
  }

  @Override
  public Map<String, String> insertAll(
      Connection conn, Collection<EventEnvelope> events, @Nullable Lease lease) {
    return ordinary.insertAll(conn, events, lease);
  }

  @Override
  public @Nullable OrderedEvents ordered() {
    return ordinary.ordered();
  }

  @Override
  public Optional<String> findByKey(Connection conn, @Nullable String tenantId, String key) {
    return ordinary.findByKey(conn, tenantId, key);
  }

  @Override
  public <T> T inTransaction(Connection conn, Supplier<T> work) {
    return ordinary.inTransaction(conn, work);
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    return ordinary.markDone(conn, eventId);
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
    return ordinary.markRetry(conn, eventId, nextAt, error);
  }

  @Override
  public int markDead(Connection conn, String eventId, @Nullable String error) {
    return ordinary.markDead(conn, eventId, error);
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    return ordinary.pollPending(conn, now, skipRecent, limit);
  }

  @Override
  public boolean mayHaveDue(Connection conn) {
    return ordinary.mayHaveDue(conn);
  }

  @Override
  public Claimed claim(Connection conn, ClaimRequest request) {
    List<OutboxEvent> expiredBefore = expired(conn);
    List<Instant> watermarks = new ArrayList<>();
    List<ClaimedEvent> events =
        query(
            conn,
            "SELECT claim.*, NULL AS listeners, 0 AS expired, (SELECT ordering_key FROM outbox_event"
                + " WHERE event_id = claim.event_id) AS ordering_key"
                + " FROM outbox_event_claim(owner => :owner, lease => :lease"
                + " * INTERVAL '1 microsecond', batch_size => CAST(:limit AS integer), max_bytes =>"
                + " :max_bytes, after => :after, skip_recent => :skip_recent * INTERVAL '1"
                + " microsecond') AS claim",
            statements
                .parameters()
                .text("owner", request.owner())
                .duration("lease", request.lease())
                .number("limit", request.limit())
                .number("max_bytes", request.maxBytes())
                .instant("after", request.after())
                .duration("skip_recent", request.skipRecent()),
            row -> {
              watermarks.add(requireNonNull(statements.dialect().getInstant(row, "watermark")));
              return rows.taken(row).event();
            });
    Instant watermark = watermarks.isEmpty() ? null : watermarks.get(0);
    List<OutboxEvent> expired = new ArrayList<>(expired(conn));
    expired.removeIf(
        event -> expiredBefore.stream().anyMatch(old -> old.eventId().equals(event.eventId())));
    return new Claimed(events, watermark, expired);
  }

  /** The routine does not say which it has ended; the table does. */
  private List<OutboxEvent> expired(Connection conn) {
    DeadLetterFilter filter = DeadLetterFilter.all().errorContains(EXPIRED);
    return ordinary.deadLetters(conn, filter, null, 1000).stream().map(DeadLetter::event).toList();
  }

  @Override
  public Instant now(Connection conn) {
    return ordinary.now(conn);
  }

  @Override
  public List<DeadLetter> deadLetters(
      Connection conn, DeadLetterFilter filter, @Nullable Position after, int limit) {
    return ordinary.deadLetters(conn, filter, after, limit);
  }

  @Override
  public Optional<DeadLetter> deadLetter(Connection conn, String eventId) {
    return ordinary.deadLetter(conn, eventId);
  }

  @Override
  public DeadCount countDead(Connection conn, DeadLetterFilter filter, int window) {
    return ordinary.countDead(conn, filter, window);
  }

  @Override
  public Set<String> replay(
      Connection conn,
      Collection<String> eventIds,
      String by,
      boolean failedOnly,
      @Nullable Instant diedBefore) {
    return ordinary.replay(conn, eventIds, by, failedOnly, diedBefore);
  }

  @Override
  public Set<String> discard(
      Connection conn,
      Collection<String> eventIds,
      String by,
      String error,
      @Nullable Instant diedBefore) {
    return ordinary.discard(conn, eventIds, by, error, diedBefore);
  }

  @Override
  public int backlog(Connection conn, int most) {
    return ordinary.backlog(conn, most);
  }

  @Override
  public int purgePayloads(Connection conn, Duration doneFor, int limit) {
    return ordinary.purgePayloads(conn, doneFor, limit);
  }

  @Override
  public int purgeDone(Connection conn, Duration doneFor, int limit) {
    return ordinary.purgeDone(conn, doneFor, limit);
  }

  @Override
  public int purgeDead(Connection conn, Duration deadFor, int limit) {
    return ordinary.purgeDead(conn, deadFor, limit);
  }

  @Override
  public List<ClaimedEvent> claimById(
      Connection conn, String owner, Duration lease, Collection<String> eventIds) {
    return ordinary.claimById(conn, owner, lease, eventIds);
  }

  @Override
  public Set<String> ack(Connection conn, String owner, Collection<String> eventIds) {
    return changed(
        conn, "SELECT event_id FROM outbox_event_ack(:owner, :ids)", fenced(owner, eventIds));
  }

  @Override
  public Set<String> abandon(Connection conn, String owner, Collection<Failure> failures) {
    return changed(
        conn,
        "SELECT changed.event_id FROM unnest(CAST(:ids AS text[]), CAST(:delays AS bigint[]),"
            + " CAST(:errors AS text[])) AS failure (id, delay, error) CROSS JOIN LATERAL"
            + " outbox_event_abandon(:owner, ARRAY[failure.id], failure.error,"
            + " failure.delay * INTERVAL '1 microsecond') AS changed",
        failed(owner, failures));
  }

  @Override
  public Set<String> defer(
      Connection conn,
      String owner,
      Collection<String> eventIds,
      Duration delay,
      @Nullable String listeners) {
    return changed(
        conn,
        "SELECT event_id FROM outbox_event_defer(:owner, :ids, :delay * INTERVAL '1 microsecond')",
        fenced(owner, eventIds).duration("delay", delay));
  }

  @Override
  public Set<String> fail(Connection conn, String owner, Collection<Failure> failures) {
    return changed(
        conn,
        "SELECT changed.event_id FROM unnest(CAST(:ids AS text[]), CAST(:errors AS text[]))"
            + " AS failure (id, error) CROSS JOIN LATERAL"
            + " outbox_event_fail(:owner, ARRAY[failure.id], failure.error) AS changed",
        failed(owner, failures));
  }

  @Override
  public Set<String> renew(
      Connection conn, String owner, Collection<String> eventIds, Duration lease) {
    return changed(
        conn,
        "SELECT event_id FROM outbox_event_renew(:owner, :ids, :lease * INTERVAL '1 microsecond')",
        fenced(owner, eventIds).duration("lease", lease));
  }

  @Override
  public Set<String> markStarted(
      Connection conn, String owner, Collection<String> eventIds, Duration lease) {
    return changed(
        conn,
        "SELECT event_id FROM"
            + " outbox_event_renew(:owner, :ids, :lease * INTERVAL '1 microsecond', true)",
        fenced(owner, eventIds).duration("lease", lease));
  }

  @Override
  public Map<String, RowState> inspect(Connection conn, Collection<String> eventIds) {
    return ordinary.inspect(conn, eventIds);
  }

  /** The routine has no window. */
  @Override
  public int reapExpired(Connection conn, Duration grace, int limit, int window) {
    if (window < Integer.MAX_VALUE) {
      return ordinary.reapExpired(conn, grace, limit, window);
    }
    return changed(
            conn,
            "SELECT event_id FROM"
                + " outbox_event_reap(:grace * INTERVAL '1 microsecond', CAST(:limit AS integer))",
            Leases.reaping(statements.parameters(), grace, limit, window))
        .size();
  }

  private Parameters fenced(String owner, Collection<String> ids) {
    return statements.parameters().ids(ids).text("owner", owner);
  }

  private Parameters failed(String owner, Collection<Failure> failures) {
    Map<String, Failure> byId = new LinkedHashMap<>();
    failures.forEach(failure -> byId.put(failure.eventId(), failure));
    List<Failure> each = List.copyOf(byId.values());
    return fenced(owner, byId.keySet())
        .array(
            "delays",
            "bigint",
            each.stream().map(failure -> Parameters.micros(failure.delay())).toArray())
        .array(
            "errors",
            "text",
            each.stream()
                .map(failure -> ErrorText.fit(failure.error(), MAX_ERROR_LENGTH))
                .toArray());
  }

  private Set<String> changed(Connection conn, String sql, Parameters parameters) {
    return new LinkedHashSet<>(query(conn, sql, parameters, row -> row.getString("event_id")));
  }

  private <T> List<T> query(
      Connection conn, String text, Parameters parameters, Statements.RowReader<T> reader) {
    NamedStatement named = new NamedStatement(text);
    try (PreparedStatement setShift =
            conn.prepareStatement(
                "SELECT set_config('outbox.shift', ?, false),"
                    + " set_config('outbox.stopped', ?, false)");
        PreparedStatement statement = conn.prepareStatement(named.sql(parameters))) {
      setShift.setString(1, now.shift().toNanos() / 1_000 + " microseconds");
      setShift.setString(2, Objects.toString(now.stopped(), ""));
      setShift.execute();
      named.bind(statement, parameters);
      List<T> found = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(reader.read(row));
        }
      }
      return found;
    } catch (SQLException e) {
      throw statements.failed(text, e);
    }
  }
}

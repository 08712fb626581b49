package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLIntegrityConstraintViolationException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
 * A store in memory with the leases, the fences and the transactions (READ COMMITTED, row locks,
 * savepoints) of the stores on databases, for tests of applications. Thread-safe.
 *
 * <p>It works on its own {@link #connections()} only. They know transactions but no SQL.
 */
public final class InMemoryEventStore implements LeasedEventStore {
  private final Rows rows;
  private final InMemoryKeys keys;
  private final Clock clock;
  private final InMemoryLeases leases;
  private final @Nullable TerminalHook hook;
  private final InMemoryEnded ended;

  /** A store that runs by the system's clock and keeps completed events. */
  public InMemoryEventStore() {
    this(Clock.systemUTC());
  }

  /** A store for which it is as late as the clock says, and which keeps completed events. */
  public InMemoryEventStore(Clock clock) {
    this(requireNonNull(clock, "clock"), InMemoryEnded.Kind.EVENTS);
  }

  /** A store whose rows are something else than events. */
  InMemoryEventStore(Clock clock, InMemoryEnded.Kind kind) {
    this(clock, new InMemoryKeys(new Rows()), kind);
  }

  private InMemoryEventStore(Clock clock, InMemoryKeys keys, InMemoryEnded.Kind kind) {
    this(keys, clock, false, null, new InMemoryEnded(keys.rows(), kind));
  }

  private InMemoryEventStore(
      InMemoryKeys keys,
      Clock clock,
      boolean deleteWhenDone,
      @Nullable TerminalHook hook,
      InMemoryEnded ended) {
    this.rows = keys.rows();
    this.keys = keys;
    this.clock = clock;
    this.hook = hook;
    this.leases = new InMemoryLeases(rows, clock, deleteWhenDone, ended.kind());
    this.ended = ended;
  }

  /** A view of the same events that deletes those it completes, but for those with a key. */
  public InMemoryEventStore deletingWhenDone() {
    return new InMemoryEventStore(keys, clock, true, null, ended);
  }

  /** A view of the same events that tells the hook of those it ends; it keeps them. */
  public InMemoryEventStore notifying(TerminalHook hook) {
    return new InMemoryEventStore(keys, clock, false, requireNonNull(hook, "hook"), ended);
  }

  /** Connections in auto-commit mode; closing one rolls back what it has not committed. */
  public ConnectionProvider connections() {
    return () -> InMemoryConnection.open(rows);
  }

  /** Transactions bound to threads that see rollbacks to savepoints. */
  public InMemoryTransactions transactions() {
    return new InMemoryTransactions(connections(), true);
  }

  /** The event as committed. */
  public Optional<StoredEvent> find(String eventId) {
    rows.lock.lock();
    try {
      return Optional.ofNullable(rows.find(eventId)).map(Rows.Row::committed);
    } finally {
      rows.lock.unlock();
    }
  }

  /** All events as committed, by id. */
  public List<StoredEvent> findAll() {
    rows.lock.lock();
    try {
      return rows.all().stream()
          .flatMap(row -> Stream.ofNullable(row.committed()))
          .sorted(Comparator.comparing(row -> row.event().eventId()))
          .toList();
    } finally {
      rows.lock.unlock();
    }
  }

  /** How many committed events have this status. */
  public int count(EventStatus status) {
    rows.lock.lock();
    try {
      return rows.count(status);
    } finally {
      rows.lock.unlock();
    }
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
    return insertRow(conn, StoredEvent.inserted(event, lease, leases.now()));
  }

  Optional<String> insertRow(Connection conn, StoredEvent row) {
    Session session = session(conn);
    OutboxEvent event = row.event();
    return session.execute(
        () -> {
          Optional<String> first = keys.take(session, event);
          if (first.isEmpty()) {
            Rows.Row slot = rows.slot(event.eventId(), session);
            if (slot.seenBy(session) != null) {
              throw new SQLIntegrityConstraintViolationException(
                  "event " + event.eventId() + " exists already", "23505");
            }
            session.write(slot, row);
          }
          return first;
        });
  }

  @Override
  public Optional<String> findByKey(Connection conn, @Nullable String tenantId, String key) {
    Session session = session(conn);
    return session.execute(() -> keys.find(session, tenantId, key));
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    return ending(
            conn,
            EventStatus.DONE,
            () -> ifChanged(eventId, markUnlessDone(conn, eventId, row -> row.done(leases.now()))))
        .size();
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
    Instant at = nextAt.truncatedTo(ChronoUnit.MICROS);
    return markUnlessDone(conn, eventId, row -> row.retry(at, error));
  }

  @Override
  public int markDead(Connection conn, String eventId, @Nullable String error) {
    return ending(
            conn,
            EventStatus.DEAD,
            () ->
                ifChanged(
                    eventId, markUnlessDone(conn, eventId, row -> row.dead(error, leases.now()))))
        .size();
  }

  private int markUnlessDone(
      Connection conn, String eventId, UnaryOperator<StoredEvent> transition) {
    Session session = session(conn);
    return session.execute(
        () -> {
          Rows.Row row = rows.find(eventId);
          if (row == null) {
            return 0;
          }
          rows.awaitRelease(row, session);
          StoredEvent state = row.seenBy(session);
          if (state == null || state.status() == EventStatus.DONE) {
            return 0;
          }
          leases.write(session, row, transition.apply(state));
          return 1;
        });
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    Session session = session(conn);
    Instant latest = now.minus(skipRecent);
    return session.execute(
        () ->
            rows.all().stream()
                .flatMap(row -> Stream.ofNullable(row.seenBy(session)))
                .filter(row -> row.status().isLive() && !row.availableAt().isAfter(now))
                .map(StoredEvent::event)
                .filter(event -> !event.createdAt().isAfter(latest))
                .sorted(
                    Comparator.comparing(OutboxEvent::createdAt)
                        .thenComparing(OutboxEvent::eventId))
                .limit(limit)
                .toList());
  }

  @Override
  public Map<String, String> insertAll(Connection conn, Collection<EventEnvelope> events) {
    return inTransaction(
        conn,
        () -> {
          Map<String, String> firsts = new LinkedHashMap<>();
          for (EventEnvelope event : events) {
            insert(conn, event, null).ifPresent(first -> firsts.put(event.eventId(), first));
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
    return inTransaction(
        conn,
        () -> {
          Claimed taken = leases.claim(session(conn), request);
          List<ClaimedEvent> events = withoutExpired(conn, request.owner(), taken.events());
          List<OutboxEvent> ended =
              taken.events().stream()
                  .filter(claimed -> !events.contains(claimed))
                  .map(ClaimedEvent::event)
                  .toList();
          return new Claimed(events, taken.watermark(), ended);
        });
  }

  @Override
  public List<ClaimedEvent> claimById(
      Connection conn, String owner, Duration lease, Collection<String> eventIds) {
    return inTransaction(
        conn,
        () -> withoutExpired(conn, owner, leases.claimById(session(conn), owner, lease, eventIds)));
  }

  private List<ClaimedEvent> withoutExpired(
      Connection conn, String owner, List<ClaimedEvent> taken) {
    Map<Boolean, List<ClaimedEvent>> byExpiry =
        taken.stream().collect(Collectors.partitioningBy(leases::isExpired));
    List<Failure> failures =
        requireNonNull(byExpiry.get(true)).stream()
            .map(claimed -> new Failure(claimed.event().eventId(), Duration.ZERO, EXPIRED))
            .toList();
    fail(conn, owner, failures);
    return requireNonNull(byExpiry.get(false));
  }

  @Override
  public Set<String> ack(Connection conn, String owner, Collection<String> eventIds) {
    return ending(
        conn,
        EventStatus.DONE,
        () -> leases.transition(session(conn), owner, eventIds, (row, now) -> row.done(now)));
  }

  @Override
  public Set<String> abandon(Connection conn, String owner, Collection<Failure> failures) {
    Map<String, Failure> byId = byId(failures);
    return leases.transition(
        session(conn),
        owner,
        byId.keySet(),
        (row, now) -> row.abandoned(requireNonNull(byId.get(row.event().eventId())), now));
  }

  @Override
  public Set<String> defer(
      Connection conn, String owner, Collection<String> eventIds, Duration delay) {
    return leases.transition(
        session(conn), owner, eventIds, (row, now) -> row.deferred(now.plus(delay)));
  }

  @Override
  public Set<String> fail(Connection conn, String owner, Collection<Failure> failures) {
    Map<String, Failure> byId = byId(failures);
    return ending(
        conn,
        EventStatus.DEAD,
        () ->
            leases.transition(
                session(conn),
                owner,
                byId.keySet(),
                (row, now) -> row.failed(requireNonNull(byId.get(row.event().eventId())), now)));
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
    Session session = session(conn);
    return session.execute(
        () -> {
          Map<String, RowState> found = new LinkedHashMap<>();
          for (String id : eventIds) {
            Rows.Row row = rows.find(id);
            StoredEvent state = row == null ? null : row.seenBy(session);
            if (state != null) {
              found.put(id, view(state));
            }
          }
          return found;
        });
  }

  @Override
  public int reapExpired(Connection conn, Duration grace, int limit, int window) {
    return leases.reap(session(conn), grace, limit, window);
  }

  @Override
  public Instant now(Connection conn) {
    return leases.now();
  }

  @Override
  public List<DeadLetter> deadLetters(
      Connection conn, DeadLetterFilter filter, @Nullable Position after, int limit) {
    return ended.list(session(conn), filter, after, limit);
  }

  @Override
  public Optional<DeadLetter> deadLetter(Connection conn, String eventId) {
    return ended.find(session(conn), eventId);
  }

  @Override
  public DeadCount countDead(Connection conn, DeadLetterFilter filter, int window) {
    return ended.count(session(conn), filter, window);
  }

  @Override
  public Set<String> replay(
      Connection conn, Collection<String> eventIds, String by, @Nullable Instant diedBefore) {
    Instant now = leases.now();
    return ended.move(session(conn), eventIds, diedBefore, row -> row.replayed(by, now));
  }

  @Override
  public Set<String> discard(
      Connection conn,
      Collection<String> eventIds,
      String by,
      String error,
      @Nullable Instant diedBefore) {
    Instant now = leases.now();
    return ended.move(session(conn), eventIds, diedBefore, row -> row.discarded(by, error, now));
  }

  @Override
  public int backlog(Connection conn, int most) {
    Instant now = leases.now();
    return session(conn)
        .execute(
            () ->
                (int)
                    rows.live().stream()
                        .takeWhile(row -> !row.indexedAt().isAfter(now))
                        .limit(most)
                        .count());
  }

  @Override
  public int purgePayloads(Connection conn, Duration doneFor, int limit) {
    Instant before = leases.now().minus(doneFor);
    return ended.change(
        session(conn),
        row -> row.hasPayload() && row.isDoneBefore(before),
        StoredEvent::withoutPayload,
        limit);
  }

  @Override
  public int purgeDone(Connection conn, Duration doneFor, int limit) {
    Instant before = leases.now().minus(doneFor);
    return ended.change(
        session(conn), row -> row.isDoneBefore(before) && ended.isUnseen(row, before), null, limit);
  }

  @Override
  public int purgeDead(Connection conn, Duration deadFor, int limit) {
    Instant before = leases.now().minus(deadFor);
    return ended.change(
        session(conn),
        row ->
            ended.isDead(row) && row.availableAt().isBefore(before) && ended.isUnseen(row, before),
        null,
        limit);
  }

  private Set<String> ending(
      Connection conn, EventStatus status, Supplier<Set<String>> transition) {
    return hook == null
        ? transition.get()
        : InMemoryEndings.run(hook, session(conn), conn, status, transition);
  }

  private static Set<String> ifChanged(String eventId, int rows) {
    return rows == 0 ? Set.of() : Set.of(eventId);
  }

  Rows rows() {
    return rows;
  }

  Instant now() {
    return leases.now();
  }

  private static RowState view(StoredEvent row) {
    return new RowState(row.status(), row.owner(), row.processedBy(), row.event().attempts());
  }

  Session session(Connection conn) {
    return Session.of(requireNonNull(conn, "conn"), rows);
  }

  private static Map<String, Failure> byId(Collection<Failure> failures) {
    return failures.stream()
        .collect(
            Collectors.toMap(
                Failure::eventId, failure -> failure, (first, last) -> last, LinkedHashMap::new));
  }
}

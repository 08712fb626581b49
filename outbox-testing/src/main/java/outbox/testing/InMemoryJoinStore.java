package outbox.testing;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.MessageId;
import outbox.model.StepStatus;
import outbox.spi.JoinStore;

/**
 * Joins beside an {@link InMemoryEventStore}, in the same transactions. Thread-safe.
 *
 * <p>Give the event store the hook afterwards: {@code store.notifying(new JoinTracker(joins))}.
 */
public final class InMemoryJoinStore implements JoinStore {
  private final InMemoryEventStore events;
  private final Rows rows;
  private final Cells<Join> joins;
  private final Cells<JoinStep> steps;
  private final Map<String, Set<String>> waits = new TreeMap<>();

  public InMemoryJoinStore(InMemoryEventStore events) {
    this.events = requireNonNull(events, "events");
    this.rows = events.rows();
    this.joins = new Cells<>(rows);
    this.steps = new Cells<>(rows);
  }

  @Override
  public void check(Connection conn) {
    events.session(conn);
  }

  @Override
  public void insert(Connection conn, NewJoin join) {
    Session session = events.session(conn);
    Instant now = events.now();
    Duration deadline = join.deadline();
    Join row =
        new Join(
            join.id(),
            join.groupingKey(),
            join.expectedSteps(),
            0,
            0,
            JoinStatus.PENDING,
            now,
            now,
            deadline == null ? null : now.plus(deadline),
            join.metadata());
    session.execute(
        () -> {
          joins.write(session, join.id().value(), row);
          return row;
        });
  }

  @Override
  public Settlement attach(Connection conn, JoinIdentifier join, Collection<String> messageIds) {
    Session session = events.session(conn);
    return session.execute(
        () -> {
          Map<String, EventStatus> messages = lockMessages(session, messageIds);
          for (String id : messageIds) {
            if (!messages.containsKey(id)) {
              throw new IllegalStateException(
                  "message " + id + " does not exist; enqueue it first");
            }
          }
          required(joins.read(session, join.value()), join);
          Settlement settlement = Settlement.NOTHING;
          for (String id : messages.keySet()) {
            if (steps.lock(session, key(join, id)) == null) {
              JoinStep step =
                  new JoinStep(join, new MessageId(id), StepStatus.PENDING, events.now());
              steps.write(session, key(join, id), step);
            }
            StepStatus end = StepStatus.of(requireNonNull(messages.get(id)));
            if (end != StepStatus.PENDING) {
              settlement = settlement.and(flip(session, join, Set.of(id), end));
            }
          }
          return settlement;
        });
  }

  @Override
  public Settlement report(Connection conn, JoinIdentifier join, String messageId, StepStatus end) {
    Session session = events.session(conn);
    return session.execute(
        () -> {
          lockMessages(session, List.of(messageId));
          required(joins.lock(session, join.value()), join);
          if (steps.read(session, key(join, messageId)) == null) {
            throw new IllegalStateException(
                "message " + messageId + " is no step of join " + join + "; attach it first");
          }
          return flip(session, join, Set.of(messageId), end);
        });
  }

  @Override
  public Settlement settle(Connection conn, Collection<String> messageIds, StepStatus end) {
    Session session = events.session(conn);
    Set<String> ids = new HashSet<>(messageIds);
    return session.execute(
        () -> {
          TreeSet<JoinIdentifier> touched = new TreeSet<>();
          for (JoinStep step : steps.all(session)) {
            if (ids.contains(step.messageId().value()) && step.status() == StepStatus.PENDING) {
              touched.add(step.joinId());
            }
          }
          for (JoinIdentifier join : touched) {
            joins.lock(session, join.value());
          }
          Settlement settlement = Settlement.NOTHING;
          for (JoinIdentifier join : touched) {
            settlement = settlement.and(flip(session, join, ids, end));
          }
          return settlement;
        });
  }

  /** Ends the pending ones among the steps of a join. */
  private Settlement flip(
      Session session, JoinIdentifier join, Collection<String> messageIds, StepStatus end)
      throws SQLException {
    Join before = required(joins.lock(session, join.value()), join);
    int flipped = 0;
    for (String id : messageIds) {
      JoinStep step = steps.lock(session, key(join, id));
      if (step != null && step.status() == StepStatus.PENDING) {
        JoinStep ended = new JoinStep(join, step.messageId(), end, step.createdAt());
        steps.write(session, key(join, id), ended);
        flipped++;
      }
    }
    Join after = before.after(end, flipped, events.now());
    int counted = before.missingSteps() - after.missingSteps();
    List<Excess> excess =
        after.isComplete() && flipped > counted
            ? List.of(new Excess(after, flipped - counted))
            : List.of();
    return new Settlement(store(session, before, after), excess);
  }

  @Override
  public Settlement end(Connection conn, JoinIdentifier join, JoinStatus end) {
    Session session = events.session(conn);
    return session.execute(
        () -> ended(session, required(joins.lock(session, join.value()), join), end));
  }

  private Settlement ended(Session session, Join join, JoinStatus end) throws SQLException {
    return join.status().isFinal()
        ? Settlement.NOTHING
        : new Settlement(store(session, join, join.ended(end, events.now())), List.of());
  }

  private List<Join> store(Session session, Join before, Join after) throws SQLException {
    if (after.equals(before)) {
      return List.of();
    }
    joins.write(session, after.id().value(), after);
    if (!after.status().isFinal()) {
      return List.of();
    }
    for (String id : waits.getOrDefault(after.id().value(), Set.of())) {
      wake(session, rows.find(id));
    }
    return List.of(after);
  }

  private void wake(Session session, Rows.@Nullable Row row) throws SQLException {
    if (row == null) {
      return;
    }
    rows.awaitRelease(row, session);
    StoredEvent state = row.seenBy(session);
    if (state != null && state.status().isLive() && state.owner() == null) {
      session.write(row, state.deferred(events.now()));
    }
  }

  @Override
  public void addWait(Connection conn, JoinIdentifier join, String messageId) {
    Session session = events.session(conn);
    session.execute(
        () -> {
          Set<String> all = waits.computeIfAbsent(join.value(), any -> new TreeSet<>());
          all.add(messageId);
          session.onUndo(() -> all.remove(messageId));
          return all;
        });
  }

  @Override
  public Optional<Join> find(Connection conn, JoinIdentifier join) {
    Session session = events.session(conn);
    return session.execute(() -> Optional.ofNullable(joins.read(session, join.value())));
  }

  @Override
  public Optional<Locked> lock(Connection conn, JoinIdentifier join) {
    Session session = events.session(conn);
    return session.execute(
        () -> {
          Join locked = joins.lock(session, join.value());
          if (locked == null) {
            return Optional.empty();
          }
          Settlement settlement =
              isOverdue(locked) ? ended(session, locked, JoinStatus.FAILED) : Settlement.NOTHING;
          Instant deadline = locked.deadline();
          return Optional.of(
              new Locked(
                  required(joins.read(session, join.value()), join),
                  deadline == null ? null : Duration.between(events.now(), deadline),
                  settlement));
        });
  }

  @Override
  public List<Join> findByGroupingKey(Connection conn, String groupingKey, int limit) {
    Session session = events.session(conn);
    return session.execute(
        () ->
            joins.all(session).stream()
                .filter(join -> groupingKey.equals(join.groupingKey()))
                .sorted(comparing(Join::createdAt).thenComparing(Join::id).reversed())
                .limit(limit)
                .toList());
  }

  @Override
  public List<JoinStep> steps(Connection conn, JoinIdentifier join, @Nullable StepStatus status) {
    Session session = events.session(conn);
    return session.execute(
        () ->
            steps.all(session).stream()
                .filter(step -> step.joinId().equals(join))
                .filter(step -> status == null || step.status() == status)
                .toList());
  }

  @Override
  public Settlement failOverdue(Connection conn, int limit) {
    Session session = events.session(conn);
    return session.execute(
        () -> {
          Settlement settlement = Settlement.NOTHING;
          for (Join join : free(session)) {
            if (isOverdue(join) && settlement.ended().size() < limit) {
              joins.lock(session, join.id().value());
              settlement = settlement.and(ended(session, join, JoinStatus.FAILED));
            }
          }
          return settlement;
        });
  }

  @Override
  public int purge(Connection conn, Duration retention, int limit) {
    Session session = events.session(conn);
    return session.execute(
        () -> {
          Instant latest = events.now().minus(retention);
          List<Join> old =
              free(session).stream()
                  .filter(join -> join.status().isFinal() && !join.lastUpdatedAt().isAfter(latest))
                  .filter(join -> !isAwaited(session, join))
                  .limit(limit)
                  .toList();
          for (Join join : old) {
            joins.write(session, join.id().value(), null);
            for (JoinStep step : steps.all(session)) {
              if (step.joinId().equals(join.id())) {
                steps.write(session, key(join.id(), step.messageId().value()), null);
              }
            }
          }
          return old.size();
        });
  }

  private List<Join> free(Session session) {
    List<Join> free = new ArrayList<>(joins.all(session));
    free.removeIf(join -> joins.isLockedByOthers(session, join.id().value()));
    return free;
  }

  private boolean isAwaited(Session session, Join join) {
    return waits.getOrDefault(join.id().value(), Set.of()).stream()
        .map(rows::find)
        .anyMatch(
            row -> {
              StoredEvent state = row == null ? null : row.seenBy(session);
              return state != null && state.status().isLive();
            });
  }

  private boolean isOverdue(Join join) {
    Instant deadline = join.deadline();
    return !join.status().isFinal() && deadline != null && !events.now().isBefore(deadline);
  }

  private Map<String, EventStatus> lockMessages(Session session, Collection<String> messageIds)
      throws SQLException {
    Map<String, EventStatus> found = new TreeMap<>();
    for (String id : new TreeSet<>(messageIds)) {
      Rows.Row row = rows.find(id);
      if (row != null) {
        rows.awaitRelease(row, session);
        StoredEvent state = row.seenBy(session);
        if (state != null) {
          session.write(row, state);
          found.put(id, state.status());
        }
      }
    }
    return found;
  }

  private static Join required(@Nullable Join join, JoinIdentifier id) {
    if (join == null) {
      throw new IllegalStateException("join " + id + " does not exist; start it first");
    }
    return join;
  }

  private static String key(JoinIdentifier join, String messageId) {
    return join + "/" + messageId;
  }
}

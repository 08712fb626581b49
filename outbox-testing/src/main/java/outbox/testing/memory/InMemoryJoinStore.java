package outbox.testing.memory;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
  private final InMemoryJoinRows rows;

  public InMemoryJoinStore(InMemoryEventStore events) {
    this.events = requireNonNull(events, "events");
    this.rows = new InMemoryJoinRows(events);
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
          rows.joins.write(session, join.id().value(), row);
          return row;
        });
  }

  @Override
  public Settlement attach(Connection conn, JoinIdentifier join, Collection<String> messageIds) {
    Session session = events.session(conn);
    return session.execute(
        () -> {
          Map<String, EventStatus> messages = rows.lockMessages(session, messageIds);
          for (String id : messageIds) {
            if (!messages.containsKey(id)) {
              throw new IllegalStateException(
                  "message " + id + " does not exist; enqueue it first");
            }
          }
          rows.read(session, join);
          for (String id : messages.keySet()) {
            String key = InMemoryJoinRows.key(join, id);
            if (rows.steps.lock(session, key) == null) {
              JoinStep step =
                  new JoinStep(join, new MessageId(id), StepStatus.PENDING, events.now());
              rows.steps.write(session, key, step);
            }
          }
          return catchUp(session, join, messages);
        });
  }

  /**
   * Messages that ended before they were attached, as databases count them: completed ones first.
   */
  private Settlement catchUp(
      Session session, JoinIdentifier join, Map<String, EventStatus> messages) throws SQLException {
    Settlement settlement = Settlement.NOTHING;
    for (EventStatus status : List.of(EventStatus.DONE, EventStatus.DEAD)) {
      List<String> ids =
          messages.keySet().stream().filter(id -> messages.get(id) == status).toList();
      settlement = settlement.and(rows.flip(session, join, ids, StepStatus.of(status)));
    }
    return settlement;
  }

  @Override
  public Settlement report(Connection conn, JoinIdentifier join, String messageId, StepStatus end) {
    Session session = events.session(conn);
    return session.execute(
        () -> {
          rows.lockMessages(session, List.of(messageId));
          rows.lock(session, join);
          if (rows.steps.read(session, InMemoryJoinRows.key(join, messageId)) == null) {
            throw new IllegalStateException(
                "message " + messageId + " is no step of join " + join + "; attach it first");
          }
          return rows.flip(session, join, Set.of(messageId), end);
        });
  }

  @Override
  public Settlement settle(Connection conn, Collection<String> messageIds, StepStatus end) {
    Session session = events.session(conn);
    Set<String> ids = new HashSet<>(messageIds);
    return session.execute(
        () -> {
          TreeSet<JoinIdentifier> touched = new TreeSet<>();
          for (JoinStep step : rows.steps.all(session)) {
            if (ids.contains(step.messageId().value()) && step.status() == StepStatus.PENDING) {
              touched.add(step.joinId());
            }
          }
          for (JoinIdentifier join : touched) {
            rows.lock(session, join);
          }
          Settlement settlement = Settlement.NOTHING;
          for (JoinIdentifier join : touched) {
            settlement = settlement.and(rows.flip(session, join, ids, end));
          }
          return settlement;
        });
  }

  @Override
  public Settlement end(Connection conn, JoinIdentifier join, JoinStatus end) {
    Session session = events.session(conn);
    return session.execute(() -> rows.end(session, rows.lock(session, join), end));
  }

  @Override
  public void addWait(Connection conn, JoinIdentifier join, String messageId) {
    Session session = events.session(conn);
    session.execute(
        () -> {
          rows.addWait(session, join, messageId);
          return messageId;
        });
  }

  @Override
  public Optional<Join> find(Connection conn, JoinIdentifier join) {
    Session session = events.session(conn);
    return session.execute(() -> Optional.ofNullable(rows.joins.read(session, join.value())));
  }

  @Override
  public Optional<Locked> lock(Connection conn, JoinIdentifier join) {
    Session session = events.session(conn);
    return session.execute(
        () -> {
          Join locked = rows.joins.lock(session, join.value());
          if (locked == null) {
            return Optional.empty();
          }
          Settlement settlement =
              rows.isOverdue(locked)
                  ? rows.end(session, locked, JoinStatus.FAILED)
                  : Settlement.NOTHING;
          Instant deadline = locked.deadline();
          return Optional.of(
              new Locked(
                  rows.read(session, join),
                  deadline == null ? null : Duration.between(events.now(), deadline),
                  settlement));
        });
  }

  @Override
  public List<Join> findByGroupingKey(Connection conn, String groupingKey, int limit) {
    Session session = events.session(conn);
    return session.execute(
        () ->
            rows.joins.all(session).stream()
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
            rows.steps.all(session).stream()
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
          for (Join join : rows.free(session)) {
            if (rows.isOverdue(join) && settlement.ended().size() < limit) {
              rows.lock(session, join.id());
              settlement = settlement.and(rows.end(session, join, JoinStatus.FAILED));
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
              rows.free(session).stream()
                  .filter(join -> join.status().isFinal() && !join.lastUpdatedAt().isAfter(latest))
                  .filter(join -> !rows.isAwaited(session, join))
                  .limit(limit)
                  .toList();
          for (Join join : old) {
            rows.delete(session, join);
          }
          return old.size();
        });
  }
}

package outbox.testing.memory;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.StepStatus;
import outbox.spi.JoinStore.Excess;
import outbox.spi.JoinStore.Settlement;

/**
 * The joins, steps and waits of an {@link InMemoryJoinStore}, and what changes them. Every method
 * runs inside of {@link Session#execute}.
 */
final class InMemoryJoinRows {
  final Cells<Join> joins;
  final Cells<JoinStep> steps;
  private final Map<String, Set<String>> waits = new TreeMap<>();
  private final InMemoryEventStore events;
  private final Rows messages;

  InMemoryJoinRows(InMemoryEventStore events) {
    this.events = events;
    this.messages = events.rows();
    this.joins = new Cells<>(messages);
    this.steps = new Cells<>(messages);
  }

  /** Locks the messages that exist, in the order of their ids. */
  Map<String, EventStatus> lockMessages(Session session, Collection<String> messageIds)
      throws SQLException {
    Map<String, EventStatus> found = new TreeMap<>();
    for (String id : new TreeSet<>(messageIds)) {
      Rows.Row row = messages.find(id);
      if (row != null) {
        messages.awaitRelease(row, session);
        StoredEvent state = row.seenBy(session);
        if (state != null) {
          session.write(row, state);
          found.put(id, state.status());
        }
      }
    }
    return found;
  }

  Join lock(Session session, JoinIdentifier id) throws SQLException {
    return required(joins.lock(session, id.value()), id);
  }

  Join read(Session session, JoinIdentifier id) {
    return required(joins.read(session, id.value()), id);
  }

  private static Join required(@Nullable Join join, JoinIdentifier id) {
    if (join == null) {
      throw new IllegalStateException("join " + id + " does not exist; start it first");
    }
    return join;
  }

  /** Ends the pending ones among the steps of a join. */
  Settlement flip(
      Session session, JoinIdentifier join, Collection<String> messageIds, StepStatus end)
      throws SQLException {
    Join before = lock(session, join);
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

  /** Ends a locked join as it is. */
  Settlement end(Session session, Join join, JoinStatus end) throws SQLException {
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
      wake(session, messages.find(id));
    }
    return List.of(after);
  }

  private void wake(Session session, Rows.@Nullable Row row) throws SQLException {
    if (row == null) {
      return;
    }
    messages.awaitRelease(row, session);
    StoredEvent state = row.seenBy(session);
    if (state != null && state.status().isClaimable() && state.owner() == null) {
      session.write(row, state.deferred(events.now(), null));
    }
  }

  void addWait(Session session, JoinIdentifier join, String messageId) {
    Set<String> all = waits.computeIfAbsent(join.value(), any -> new TreeSet<>());
    all.add(messageId);
    session.onUndo(() -> all.remove(messageId));
  }

  boolean isAwaited(Session session, Join join) {
    return waits.getOrDefault(join.id().value(), Set.of()).stream()
        .map(messages::find)
        .anyMatch(
            row -> {
              StoredEvent state = row == null ? null : row.seenBy(session);
              return state != null && state.status().isLive();
            });
  }

  boolean isOverdue(Join join) {
    Instant deadline = join.deadline();
    return !join.status().isFinal() && deadline != null && !events.now().isBefore(deadline);
  }

  /** The joins that no other session has locked. */
  List<Join> free(Session session) {
    List<Join> free = new ArrayList<>(joins.all(session));
    free.removeIf(join -> joins.isLockedByOthers(session, join.id().value()));
    return free;
  }

  void delete(Session session, Join join) throws SQLException {
    joins.write(session, join.id().value(), null);
    for (JoinStep step : steps.all(session)) {
      if (step.joinId().equals(join.id())) {
        steps.write(session, key(join.id(), step.messageId().value()), null);
      }
    }
  }

  static String key(JoinIdentifier join, String messageId) {
    return join + "/" + messageId;
  }
}

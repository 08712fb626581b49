package outbox.jdbc.internal.join;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.model.EventStatus;
import outbox.model.JoinIdentifier;
import outbox.model.StepStatus;
import outbox.spi.JoinStore.Settlement;

/**
 * Changes steps by hand. Locks their messages first, as every other change of a step does, and so
 * before the join. Each method runs inside a transaction.
 */
public final class JoinSteps {
  private final Statements statements;
  private final JoinProgress progress;

  public JoinSteps(Statements statements) {
    this.statements = statements;
    this.progress = new JoinProgress(statements);
  }

  public Settlement attach(Connection conn, JoinIdentifier join, Collection<String> messageIds) {
    Map<String, EventStatus> messages = lock(conn, messageIds);
    for (String id : messageIds) {
      if (!messages.containsKey(id)) {
        throw new IllegalStateException(
            "message " + id + " does not exist; enqueue it before it is attached to a join");
      }
    }
    boolean ended = messages.values().stream().anyMatch(status -> !status.isLive());
    JoinRows.Read target =
        ended
            ? progress.lock(conn, join)
            : progress.find(conn, join).orElseThrow(() -> JoinProgress.unknown(join));
    if (!messages.isEmpty()) {
      List<Parameters> members =
          messages.keySet().stream().map(id -> progress.step(join, id)).toList();
      statements.batch(conn, "insert_member", members);
    }
    return ended ? catchUp(conn, target, messages) : Settlement.NOTHING;
  }

  /** For messages that ended before they were attached: no later statement reports them. */
  private Settlement catchUp(
      Connection conn, JoinRows.Read target, Map<String, EventStatus> messages) {
    Settlement settlement = Settlement.NOTHING;
    JoinRows.Read current = target;
    for (EventStatus status : List.of(EventStatus.DONE, EventStatus.DEAD)) {
      StepStatus end = StepStatus.of(status);
      List<String> ids =
          messages.keySet().stream().filter(id -> messages.get(id) == status).toList();
      int flipped = progress.flip(conn, target.join().id(), ids, end);
      settlement =
          settlement.and(progress.count(conn, new StepFlip.Flipped(current, flipped), end));
      current = current.after(end, flipped);
    }
    return settlement;
  }

  public Settlement report(Connection conn, JoinIdentifier join, String messageId, StepStatus end) {
    lock(conn, List.of(messageId));
    JoinRows.Read target = progress.lock(conn, join);
    int flipped = progress.flip(conn, join, List.of(messageId), end);
    if (flipped == 0 && !isStep(conn, join, messageId)) {
      throw new IllegalStateException(
          "message " + messageId + " is no step of join " + join + "; attach it first");
    }
    return progress.count(conn, new StepFlip.Flipped(target, flipped), end);
  }

  private boolean isStep(Connection conn, JoinIdentifier join, String messageId) {
    Parameters step = progress.step(join, messageId);
    return !statements.query(conn, "find_member", step, row -> messageId).isEmpty();
  }

  /** Locks the rows of messages in the order of their ids; returns those that exist. */
  private Map<String, EventStatus> lock(Connection conn, Collection<String> messageIds) {
    Map<String, EventStatus> found = new TreeMap<>();
    for (List<String> chunk : progress.chunks(new TreeSet<>(messageIds))) {
      statements
          .query(
              conn,
              "lock_steps",
              progress.ids(chunk),
              row -> Map.entry(row.getString("event_id"), EventStatus.ofCode(row.getInt("status"))))
          .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    }
    return found;
  }
}

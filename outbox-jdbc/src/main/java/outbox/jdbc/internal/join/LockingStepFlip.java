package outbox.jdbc.internal.join;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import outbox.jdbc.internal.sql.Statements;
import outbox.model.StepStatus;

/** By several statements, for databases that cannot return what an update changed. */
final class LockingStepFlip implements StepFlip {
  /** What is needed beside the common statements of joins. */
  static final Set<String> STATEMENTS =
      Set.of("member_joins", "pending_members", "flip_members", "waits", "wake", "delete_joins");

  private final Statements statements;

  LockingStepFlip(Statements statements) {
    this.statements = statements;
  }

  @Override
  public List<Flipped> flip(Connection conn, Collection<String> messageIds, StepStatus end) {
    JoinProgress progress = new JoinProgress(statements);
    Set<String> known = joinsOf(conn, progress, "member_joins", messageIds).keySet();
    if (known.isEmpty() && !statements.dialect().readsOldSnapshots()) {
      return List.of();
    }
    Map<String, JoinRows.Read> locked = progress.lock(conn, new TreeSet<>(known));
    Map<String, Integer> ended = joinsOf(conn, progress, "pending_members", messageIds);
    SortedSet<String> unseen = new TreeSet<>(ended.keySet());
    unseen.removeAll(locked.keySet());
    locked.putAll(progress.lock(conn, unseen));
    if (!ended.isEmpty()) {
      for (List<String> chunk : progress.chunks(messageIds)) {
        statements.update(conn, "flip_members", progress.ids(chunk).number("status", end.code()));
      }
    }
    List<Flipped> flipped = new ArrayList<>();
    locked.forEach((id, read) -> flipped.add(new Flipped(read, ended.getOrDefault(id, 0))));
    return flipped;
  }

  @Override
  public boolean counts() {
    return false;
  }

  @Override
  public void wake(Connection conn, List<String> joinIds) {
    JoinProgress progress = new JoinProgress(statements);
    for (List<String> chunk : progress.chunks(joinIds)) {
      List<String> waits =
          statements.query(conn, "waits", progress.ids(chunk), row -> row.getString("message_id"));
      for (List<String> messages : progress.chunks(waits)) {
        statements.update(conn, "wake", progress.ids(messages));
      }
    }
  }

  @Override
  public int delete(Connection conn, List<String> joinIds) {
    JoinProgress progress = new JoinProgress(statements);
    return progress.chunks(joinIds).stream()
        .mapToInt(chunk -> statements.update(conn, "delete_joins", progress.ids(chunk)))
        .sum();
  }

  /** How many pending steps the messages have in each of their joins. */
  private Map<String, Integer> joinsOf(
      Connection conn, JoinProgress progress, String query, Collection<String> messageIds) {
    Map<String, Integer> steps = new HashMap<>();
    for (List<String> chunk : progress.chunks(messageIds)) {
      statements
          .query(conn, query, progress.ids(chunk), row -> row.getString("join_id"))
          .forEach(joinId -> steps.merge(joinId, 1, Integer::sum));
    }
    return steps;
  }
}

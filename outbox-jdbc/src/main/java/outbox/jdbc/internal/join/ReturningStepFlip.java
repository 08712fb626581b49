package outbox.jdbc.internal.join;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.model.StepStatus;

/**
 * By one statement that locks the joins and, if there are any, one that changes steps and joins:
 * the fewer round trips there are between lock and commit, the sooner the next one can count in the
 * same join.
 */
final class ReturningStepFlip implements StepFlip {
  /** What is needed beside the common statements of joins. */
  static final Set<String> STATEMENTS =
      Set.of("any_step", "lock_joins_of", "end_steps", "wake", "delete_steps", "delete_joins");

  /** For fewer messages a look costs less than the plan of the statement that locks joins. */
  private static final int MANY = 10;

  private final Statements statements;

  ReturningStepFlip(Statements statements) {
    this.statements = statements;
  }

  @Override
  public List<Flipped> flip(Connection conn, Collection<String> messageIds, StepStatus end) {
    if (messageIds.size() < MANY && !finds(conn, "any_step", messageIds)) {
      return List.of();
    }
    if (!finds(conn, "lock_joins_of", messageIds)) {
      return List.of();
    }
    JoinRows rows = new JoinRows(statements.dialect());
    return statements.query(
        conn,
        "end_steps",
        ids(messageIds).number("status", end.code()),
        row -> new Flipped(rows.read(row), row.getInt("ended_steps")));
  }

  private boolean finds(Connection conn, String query, Collection<String> messageIds) {
    return !statements.query(conn, query, ids(messageIds), row -> true).isEmpty();
  }

  @Override
  public boolean counts() {
    return true;
  }

  @Override
  public void wake(Connection conn, List<String> joinIds) {
    statements.update(conn, "wake", ids(joinIds));
  }

  /** Waits for no lock: a join of which a step is about to end stays until the next time. */
  @Override
  public int delete(Connection conn, List<String> joinIds) {
    statements.update(conn, "delete_steps", ids(joinIds));
    return statements.update(conn, "delete_joins", ids(joinIds));
  }

  private Parameters ids(Collection<String> ids) {
    return statements.parameters().ids(ids);
  }
}

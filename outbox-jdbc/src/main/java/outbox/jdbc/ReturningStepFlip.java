package outbox.jdbc;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import outbox.model.StepStatus;

/**
 * By one statement: the fewer round trips there are between lock and commit, the sooner the next
 * one can count in the same join.
 */
final class ReturningStepFlip implements StepFlip {
  private final Statements statements;

  ReturningStepFlip(Statements statements) {
    this.statements = statements;
  }

  @Override
  public Set<String> statementNames() {
    return Set.of("end_steps");
  }

  @Override
  public List<Flipped> flip(Connection conn, Collection<String> messageIds, StepStatus end) {
    JoinRows rows = new JoinRows(statements.dialect());
    Parameters parameters =
        statements.dialect().ids(statements.parameters(), messageIds).number("status", end.code());
    return statements.query(
        conn,
        "end_steps",
        parameters,
        row -> new Flipped(rows.read(row), row.getInt("ended_steps")));
  }
}

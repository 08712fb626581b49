package outbox.jdbc.internal.join;

import static java.util.Objects.requireNonNull;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.MessageId;
import outbox.model.StepStatus;

/** Turns rows into joins and steps. */
public final class JoinRows {
  private final Dialect dialect;

  public JoinRows(Dialect dialect) {
    this.dialect = dialect;
  }

  /** A join, and the instant at which it was read by the database's clock. */
  public Read read(ResultSet row) throws SQLException {
    return new Read(join(row), instant(row, "read_at"));
  }

  public Join join(ResultSet row) throws SQLException {
    return new Join(
        new JoinIdentifier(row.getString("join_id")),
        row.getString("grouping_key"),
        row.getInt("expected_steps"),
        row.getInt("completed_steps"),
        row.getInt("failed_steps"),
        JoinStatus.ofCode(row.getInt("status")),
        instant(row, "created_at"),
        instant(row, "last_updated_at"),
        dialect.getInstant(row, "deadline_at"),
        row.getString("metadata"));
  }

  public JoinStep step(ResultSet row) throws SQLException {
    return new JoinStep(
        new JoinIdentifier(row.getString("join_id")),
        new MessageId(row.getString("message_id")),
        StepStatus.ofCode(row.getInt("status")),
        instant(row, "created_at"));
  }

  private Instant instant(ResultSet row, String column) throws SQLException {
    return requireNonNull(dialect.getInstant(row, column));
  }

  public record Read(Join join, Instant at) {

    public Read after(StepStatus end, int steps) {
      return new Read(join.after(end, steps, at), at);
    }

    public @Nullable Duration untilDeadline() {
      Instant deadline = join.deadline();
      return deadline == null ? null : Duration.between(at, deadline);
    }

    public boolean isOverdue() {
      Duration left = untilDeadline();
      return !join.status().isFinal() && left != null && (left.isZero() || left.isNegative());
    }
  }
}

package outbox.jdbc.internal.schema;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.sql.Statements;

/** Records the completed steps of a migration, and the position of a step that scans rows. */
public final class StepLog {
  private final SchemaSession session;
  private final Statements statements;
  private final Map<String, String> positions = new HashMap<>();

  private StepLog(SchemaSession session) {
    this.session = session;
    this.statements = SchemaStatements.ofMigration(session.dialect(), session.table());
  }

  /** Creates its table if it does not exist, and reads it. */
  public static StepLog open(SchemaSession session) throws SQLException {
    session.execute(session.scripts().upgradeScript("steps"));
    StepLog log = new StepLog(session);
    log.statements.query(
        session.connection(),
        "steps",
        log.statements.parameters(),
        row -> {
          @Nullable String position = row.getString("position");
          return log.positions.put(row.getString("step"), position == null ? "" : position);
        });
    return log;
  }

  /** Returns a log for steps that are not recorded. */
  public static StepLog none(SchemaSession session) {
    return new StepLog(session);
  }

  public boolean isDone(String step) {
    return positions.containsKey(step);
  }

  /** Records the step, in the open transaction if there is one. */
  public void record(String step) {
    statements.update(
        session.connection(), "record_step", statements.parameters().text("step", step));
  }

  /** Returns the position after which the step continues; empty if it has not begun. */
  public String position(String step) {
    return positions.getOrDefault(step, "");
  }

  public void save(String step, String position) {
    if (!isDone(step)) {
      record(step);
    }
    statements.update(
        session.connection(),
        "save_position",
        statements.parameters().text("step", step).text("position", position));
  }

  /** Call it once the transaction of {@link #save} is committed. */
  void saved(String step, String position) {
    positions.put(step, position);
  }

  /** Drops the table of steps, if it exists, at the end of an upgrade. */
  public static void drop(SchemaSession session) throws SQLException {
    session.execute(session.scripts().dropSteps());
  }
}

package outbox.jdbc.internal.schema;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.sql.Statements;

/**
 * The record of the steps of a migration that are done, and of how far one that goes over rows is.
 */
public final class StepLog {
  private final SchemaSession session;
  private final Statements statements;
  private final Map<String, String> positions = new HashMap<>();

  private StepLog(SchemaSession session) {
    this.session = session;
    this.statements = SchemaStatements.ofMigration(session.dialect(), session.table());
  }

  /** Creates its table if there is none, and reads it. */
  public static StepLog open(SchemaSession session) throws SQLException {
    session.execute(session.scripts().of("steps"));
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

  /** For what is not recorded. */
  public static StepLog none(SchemaSession session) {
    return new StepLog(session);
  }

  public boolean isDone(String step) {
    return positions.containsKey(step);
  }

  /** Records it in the transaction that is open, if one is. */
  public void record(String step) {
    statements.update(
        session.connection(), "record_step", statements.parameters().text("step", step));
  }

  /** Where the step goes on; empty if it has not begun. */
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

  /** Called when what {@link #save} wrote is committed. */
  void saved(String step, String position) {
    positions.put(step, position);
  }

  /** Removes the record, if there is one: nothing is left to be done. */
  public static void drop(SchemaSession session) throws SQLException {
    session.execute(session.scripts().dropSteps());
  }
}

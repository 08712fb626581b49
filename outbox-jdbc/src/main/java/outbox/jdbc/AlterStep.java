package outbox.jdbc;

import java.sql.SQLException;
import java.util.List;

/** Changes the table itself, in a moment, and is recorded with that in one transaction. */
record AlterStep(String name, String sql) implements MigrationStep {

  @Override
  public boolean keepsWritersOut(SchemaSession session, SchemaCatalog catalog) {
    return !session.dialect().tableLocks(sql, session.table()).isEmpty();
  }

  @Override
  public void run(SchemaSession session, StepLog log, ProgressMeter meter) throws SQLException {
    if (log.isDone(name)) {
      return;
    }
    meter.begin(name + " alters the table");
    ShortLocks.run(
        session,
        name,
        locked -> {
          try {
            change(locked);
          } catch (SQLException e) {
            if (!locked.dialect().isDoneAlready(e)) {
              throw e;
            }
          }
          log.record(name);
        });
  }

  /** What a table needs a copy for depends on its columns; the server says so before it begins. */
  private void change(SchemaSession session) throws SQLException {
    try {
      session.change(sql);
    } catch (SQLException e) {
      String locking = session.dialect().locking(sql);
      if (!session.dialect().needsLock(e) || locking.equals(sql)) {
        throw e;
      }
      Migration.requireLeave(session, List.of(new AlterStep(name, locking)));
      session.change(locking);
    }
  }
}

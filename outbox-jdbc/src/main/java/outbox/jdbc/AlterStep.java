package outbox.jdbc;

import java.sql.SQLException;

/** Changes the table itself, in a moment, and is recorded with that in one transaction. */
record AlterStep(String name, String sql) implements MigrationStep {

  @Override
  public boolean keepsWritersOut(SchemaSession session, SchemaCatalog catalog) {
    String fitting = session.dialect().fitting(sql, catalog);
    return !session.dialect().tableLocks(fitting, session.table()).isEmpty();
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
            locked.change(locked.dialect().fitting(sql, catalog(locked)));
          } catch (SQLException e) {
            if (!locked.dialect().isDoneAlready(e)) {
              throw e;
            }
          }
          log.record(name);
        });
  }

  private static SchemaCatalog catalog(SchemaSession session) {
    return new SchemaCatalog(session.connection(), session.dialect(), session.table());
  }
}

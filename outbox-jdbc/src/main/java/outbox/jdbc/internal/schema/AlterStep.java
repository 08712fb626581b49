package outbox.jdbc.internal.schema;

import java.sql.SQLException;

/** Changes the table itself, in a moment, and is recorded with that in one transaction. */
record AlterStep(String name, String sql) implements MigrationStep {

  @Override
  public void run(SchemaSession session, StepLog log, MigrationMeter meter) throws SQLException {
    if (log.isDone(name)) {
      return;
    }
    meter.begin(name + " alters the table");
    ShortLocks.run(
        session,
        name,
        locked -> {
          try {
            locked.change(sql);
          } catch (SQLException e) {
            if (!locked.dialect().isDoneAlready(e)) {
              throw e;
            }
          }
          log.record(name);
        });
  }
}

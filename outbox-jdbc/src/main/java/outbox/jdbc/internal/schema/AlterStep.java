package outbox.jdbc.internal.schema;

import java.sql.SQLException;
import outbox.jdbc.internal.dialect.Dialect;

/** Alters the table with a short lock, and records the step in the same transaction. */
record AlterStep(String name, String sql) implements MigrationStep {

  @Override
  public boolean keepsWritersOut(SchemaSession session, SchemaCatalog catalog) {
    String fitting = fitting(session.dialect(), catalog);
    return !session.dialect().tableLocks(fitting, session.table()).isEmpty();
  }

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
            locked.change(fitting(locked.dialect(), catalog(locked)));
          } catch (SQLException e) {
            if (!locked.dialect().isDoneAlready(e)) {
              throw e;
            }
          }
          log.record(name);
        });
  }

  /** Reads the catalog only if the database has another form of the statement. */
  private String fitting(Dialect dialect, SchemaCatalog catalog) {
    String converting = dialect.convertingCharacters(sql);
    return !converting.equals(sql) && catalog.hasOtherCharacters() ? converting : sql;
  }

  private static SchemaCatalog catalog(SchemaSession session) {
    return new SchemaCatalog(session.connection(), session.dialect(), session.table());
  }
}

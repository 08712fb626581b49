package outbox.jdbc.internal.schema;

import java.sql.SQLException;
import java.util.regex.Matcher;

/**
 * Builds or drops an index while applications write. Reads the catalog instead of the log of steps:
 * PostgreSQL maintains an index whose build was interrupted, but never uses it; this step drops
 * such an index and builds it again.
 */
record IndexStep(String name, String sql) implements MigrationStep {

  @Override
  public boolean keepsWritersOut(SchemaSession session, SchemaCatalog catalog) {
    Matcher create = IndexSql.CREATE.matcher(sql);
    return !session.dialect().tableLocks(sql, session.table()).isEmpty()
        && create.find()
        && catalog.index(create.group(1)) != SchemaCatalog.IndexState.VALID;
  }

  @Override
  public void run(SchemaSession session, StepLog log, MigrationMeter meter) throws SQLException {
    Matcher create = IndexSql.CREATE.matcher(sql);
    if (!create.find()) {
      meter.begin(name + " drops an index");
      execute(session, sql);
      return;
    }
    String index = create.group(1);
    SchemaCatalog catalog =
        new SchemaCatalog(session.connection(), session.dialect(), session.table());
    SchemaCatalog.IndexState state = catalog.index(index);
    if (state == SchemaCatalog.IndexState.INVALID) {
      meter.begin(name + " drops the unfinished index " + index);
      execute(session, "DROP INDEX IF EXISTS " + session.table().schemaPrefix() + index);
    }
    if (state != SchemaCatalog.IndexState.VALID) {
      meter.begin(name + " builds the index " + index);
      execute(session, sql);
    }
  }

  private void execute(SchemaSession session, String statement) throws SQLException {
    if (session.dialect().buildsIndexesAside()) {
      session.set(session.dialect().longWaits());
      session.change(statement);
    } else {
      ShortLocks.run(session, name, locked -> locked.change(statement));
    }
  }
}

package outbox.jdbc;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What is deployed in one transaction: a new table, the routines, the tables of joins. */
final class SchemaDeployment {
  private SchemaDeployment() {}

  /** Does nothing if another node was faster. */
  static void createTable(SchemaSession session) throws SQLException {
    if (SchemaVersion.installed(session.connection(), session.statements()) == 0) {
      session.execute(session.scripts().fresh());
    }
  }

  /** Leaves the routines of a newer version alone. */
  static void addOns(SchemaSession session, int installed, @Nullable JoinTables joins)
      throws SQLException {
    if (installed <= SchemaVersion.CURRENT) {
      Routines.of(session.dialect(), session.table()).deploy(session.connection());
    }
    if (joins != null) {
      session.execute(joins.schema(session.dialect(), session.table()));
    }
  }
}

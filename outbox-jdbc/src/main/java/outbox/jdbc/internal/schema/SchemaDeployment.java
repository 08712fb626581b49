package outbox.jdbc.internal.schema;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.sql.JoinTables;

/** What is deployed in one transaction: a new table, the routines, the tables of joins. */
public final class SchemaDeployment {
  private SchemaDeployment() {}

  /** Does nothing if another node was faster. */
  public static void createTable(SchemaSession session) throws SQLException {
    if (SchemaVersion.installed(session.connection(), session.statements()) == 0) {
      session.execute(session.scripts().fresh());
    }
  }

  /** Leaves the routines of a newer version alone. */
  public static void addOns(SchemaSession session, int installed, @Nullable JoinTables joins)
      throws SQLException {
    if (installed <= SchemaVersion.CURRENT) {
      Routines.of(session.dialect(), session.table()).deploy(session.connection());
    }
    if (joins != null) {
      session.execute(session.scripts().joins(joins));
    }
  }
}

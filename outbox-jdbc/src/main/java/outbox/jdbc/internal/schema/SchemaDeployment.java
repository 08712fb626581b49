package outbox.jdbc.internal.schema;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.sql.JoinTables;
import outbox.jdbc.internal.sql.SqlFile;

/** Deploys in one transaction: a new table, the tables of joins, the stored routines. */
public final class SchemaDeployment {
  private SchemaDeployment() {}

  /** Creates the table unless another node has created it in the meantime. */
  public static void createTable(SchemaSession session) throws SQLException {
    if (SchemaVersion.installed(session.connection(), session.statements()) == 0) {
      session.execute(SqlFile.statements(session.scripts().outbox()));
    }
  }

  /** Creates the tables of joins, or what they lack. */
  public static void joins(SchemaSession session, JoinTables joins) throws SQLException {
    session.execute(
        ScriptedTable.completion(
            session.scripts().joins(joins), session.connection(), session.dialect()));
  }

  /** Creates or replaces the routines unless exactly these are installed. */
  public static void routines(SchemaSession session, @Nullable JoinTables joins)
      throws SQLException {
    Routines routines = new Routines(session.dialect(), session.table(), joins);
    if (!routines.areInstalled(session.connection())) {
      session.execute(routines.definitions());
    }
  }
}

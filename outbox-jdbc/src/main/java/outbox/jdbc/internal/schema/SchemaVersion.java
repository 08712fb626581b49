package outbox.jdbc.internal.schema;

import java.sql.Connection;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.sql.TableColumns;

/** Finds out which version of the schema a database has. */
public final class SchemaVersion {
  /** The version that this library's statements need. */
  public static final int CURRENT = 4;

  private SchemaVersion() {}

  /** The recorded version, 1 for a table without a record, 0 if there is no table. */
  public static int installed(Connection conn, Statements statements) {
    return TableColumns.of(conn, statements).isEmpty()
        ? 0
        : Math.max(1, recorded(conn, statements));
  }

  /** The highest version on record; 0 if there is none. */
  public static int recorded(Connection conn, Statements statements) {
    if (TableColumns.of(conn, statements, statements.table().versions()).isEmpty()) {
      return 0;
    }
    return statements
        .query(conn, "installed_version", statements.parameters(), row -> row.getInt("version"))
        .get(0);
  }
}

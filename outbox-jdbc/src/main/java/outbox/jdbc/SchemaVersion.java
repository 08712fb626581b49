package outbox.jdbc;

import java.sql.Connection;
import java.util.Set;
import java.util.TreeSet;

/** Finds out which version of the schema a database has. */
final class SchemaVersion {
  /** The version that this library's statements need. */
  static final int CURRENT = 4;

  private SchemaVersion() {}

  /** The recorded version, 1 for a table without a record, 0 if there is no table. */
  static int installed(Connection conn, Statements statements) {
    Set<String> columns = columns(conn, statements, statements.table());
    return columns.isEmpty() ? 0 : Math.max(1, recorded(conn, statements));
  }

  static Set<String> columns(Connection conn, Statements statements, TableName table) {
    Parameters parameters =
        statements
            .parameters()
            .text("table", table.toString())
            .text("schema", table.schema())
            .text("name", table.name());
    return new TreeSet<>(
        statements.query(conn, "columns", parameters, row -> row.getString("column_name")));
  }

  /** The highest version on record; 0 if there is none. */
  static int recorded(Connection conn, Statements statements) {
    if (columns(conn, statements, statements.table().versions()).isEmpty()) {
      return 0;
    }
    return statements
        .query(conn, "installed_version", statements.parameters(), row -> row.getInt("version"))
        .get(0);
  }
}

package outbox.jdbc.internal.schema;

import java.sql.Connection;
import java.util.Set;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.sql.TableColumns;

/** Reads which version of the schema a database has. */
public final class SchemaVersion {
  /** The version that this library's statements need. */
  public static final int CURRENT = 5;

  private SchemaVersion() {}

  /**
   * Returns the recorded version, or 0 if there is no table. A table without a record is of version
   * 1, unless it has the columns of a new table: then the script that created it was interrupted.
   */
  public static int installed(Connection conn, Statements statements) {
    Set<String> columns = TableColumns.of(conn, statements);
    if (columns.isEmpty()) {
      return 0;
    }
    int recorded = recorded(conn, statements);
    boolean isNew = columns.contains("listeners") && !TableColumns.haveVersion1(columns);
    return recorded > 0 ? recorded : isNew ? CURRENT : 1;
  }

  /** Returns the highest recorded version; 0 if there is none. */
  public static int recorded(Connection conn, Statements statements) {
    if (TableColumns.of(conn, statements, statements.table().versions()).isEmpty()) {
      return 0;
    }
    return statements
        .query(conn, "installed_version", statements.parameters(), row -> row.getInt("version"))
        .get(0);
  }
}

package outbox.jdbc.internal.sql;

import java.sql.Connection;
import java.util.Set;
import java.util.TreeSet;
import outbox.jdbc.internal.dialect.TableName;

/** The names of a table's columns, as the database has them. */
public final class TableColumns {
  /** The statement that asks for them. */
  public static final String STATEMENT = "columns";

  /** The column of version 1 that is dropped last. */
  private static final String VERSION_1_PAYLOAD = "payload";

  private TableColumns() {}

  /** The columns of the table that the statements are for; none if there is no such table. */
  public static Set<String> of(Connection conn, Statements statements) {
    return of(conn, statements, statements.table());
  }

  /** The columns of any table; none if there is no such table. */
  public static Set<String> of(Connection conn, Statements statements, TableName table) {
    Parameters parameters =
        statements
            .parameters()
            .text("table", table.toString())
            .text("schema", table.schema())
            .text("name", table.name());
    return new TreeSet<>(
        statements.query(conn, STATEMENT, parameters, row -> row.getString("column_name")));
  }

  /** Whether what version 1 needs of the table is among these columns. */
  public static boolean haveVersion1(Set<String> columns) {
    return columns.contains(VERSION_1_PAYLOAD);
  }
}

package outbox.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import outbox.jdbc.internal.dialect.Dialects;

/** What a driver says of the outbox table. */
final class TableShape {
  private TableShape() {}

  /** Returns the names of all tables of the database, in lower case. */
  static List<String> tables(DataSource dataSource) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        ResultSet found =
            connection
                .getMetaData()
                .getTables(
                    connection.getCatalog(),
                    connection.getSchema(),
                    "%",
                    new String[] {"TABLE", "BASE TABLE"})) {
      while (found.next()) {
        tables.add(found.getString("TABLE_NAME").toLowerCase(Locale.ROOT));
      }
    }
    return tables;
  }

  /** The columns of the table in lower case, with their sizes. */
  static Map<String, Integer> columnSizes(DataSource dataSource) throws SQLException {
    return columnSizes(dataSource, "outbox_event");
  }

  /** The same of another table; none without it. */
  static Map<String, Integer> columnSizes(DataSource dataSource, String table) throws SQLException {
    Map<String, Integer> columns = new TreeMap<>();
    try (Connection connection = dataSource.getConnection();
        ResultSet found =
            connection
                .getMetaData()
                .getColumns(
                    connection.getCatalog(), null, stored(connection.getMetaData(), table), null)) {
      while (found.next()) {
        columns.put(
            found.getString("COLUMN_NAME").toLowerCase(Locale.ROOT), found.getInt("COLUMN_SIZE"));
      }
    }
    return columns;
  }

  /**
   * The columns of the table in lower case: {@code NOT NULL} where they are, and their default, as
   * the number or the word that it is.
   */
  static Map<String, String> constraints(DataSource dataSource) throws SQLException {
    return constraints(dataSource, "outbox_event");
  }

  /** The same of another table; none without it. */
  static Map<String, String> constraints(DataSource dataSource, String table) throws SQLException {
    Map<String, String> columns = new TreeMap<>();
    try (Connection connection = dataSource.getConnection();
        ResultSet found =
            connection
                .getMetaData()
                .getColumns(
                    connection.getCatalog(), null, stored(connection.getMetaData(), table), null)) {
      while (found.next()) {
        String value = found.getString("COLUMN_DEF");
        boolean generated = isGenerated(connection, found);
        String given =
            value == null || generated ? "" : value.replaceAll("[('):]+.*$|^[('\"]+", "");
        columns.put(
            found.getString("COLUMN_NAME").toLowerCase(Locale.ROOT),
            (found.getString("IS_NULLABLE").equals("NO") ? "NOT NULL " : "NULL ")
                + (given.isEmpty() || given.equals("NULL") ? "" : "DEFAULT " + given));
      }
    }
    columns.replaceAll((name, rules) -> rules.strip());
    return columns;
  }

  /** The primary key of the table, in lower case. */
  static List<String> primaryKey(DataSource dataSource) throws SQLException {
    List<String> columns = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        ResultSet found =
            connection
                .getMetaData()
                .getPrimaryKeys(
                    connection.getCatalog(),
                    connection.getSchema(),
                    stored(connection.getMetaData(), "outbox_event"))) {
      while (found.next()) {
        columns.add(found.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
      }
    }
    return columns;
  }

  /** The columns of an index of the table, in order and in lower case. */
  static List<String> indexColumns(DataSource dataSource, String name) throws SQLException {
    List<String> columns = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        ResultSet found =
            connection
                .getMetaData()
                .getIndexInfo(
                    connection.getCatalog(),
                    connection.getSchema(),
                    stored(connection.getMetaData(), "outbox_event"),
                    false,
                    true)) {
      while (found.next()) {
        if (name.equalsIgnoreCase(found.getString("INDEX_NAME"))) {
          columns.add(found.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
        }
      }
    }
    return columns;
  }

  /** The columns of each index of another table, in order and in lower case; none without it. */
  static Collection<List<String>> indexesOf(DataSource dataSource, String table)
      throws SQLException {
    Map<String, List<String>> indexes = new TreeMap<>();
    try (Connection connection = dataSource.getConnection();
        ResultSet found =
            connection
                .getMetaData()
                .getIndexInfo(
                    connection.getCatalog(),
                    connection.getSchema(),
                    stored(connection.getMetaData(), table),
                    false,
                    true)) {
      while (found.next()) {
        String column = found.getString("COLUMN_NAME").toLowerCase(Locale.ROOT);
        indexes
            .computeIfAbsent(found.getString("INDEX_NAME"), name -> new ArrayList<>())
            .add(column);
      }
    }
    return indexes.values();
  }

  private static String stored(DatabaseMetaData metaData, String name) throws SQLException {
    return metaData.storesUpperCaseIdentifiers() ? name.toUpperCase(Locale.ROOT) : name;
  }

  /** MySQL's driver takes a default that is an expression for a generated column. */
  private static boolean isGenerated(Connection connection, ResultSet column) throws SQLException {
    boolean generated = "YES".equals(column.getString("IS_GENERATEDCOLUMN"));
    boolean byDefault = column.getString("COLUMN_DEF") != null;
    return generated && !(byDefault && Dialects.of(connection).product().equals("MySQL"));
  }
}

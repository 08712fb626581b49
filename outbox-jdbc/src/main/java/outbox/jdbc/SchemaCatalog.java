package outbox.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What the database says of a table: its columns, its indexes, its size. Changes nothing. */
final class SchemaCatalog {
  private final Connection conn;
  private final TableName table;
  private final Statements columns;
  private final Statements migration;

  SchemaCatalog(Connection conn, Dialect dialect, TableName table) {
    this.conn = conn;
    this.table = table;
    this.columns = new Statements(dialect, table, null);
    this.migration = Statements.ofMigration(dialect, table);
  }

  enum IndexState {
    MISSING,
    /** Its build was cut off. */
    INVALID,
    VALID
  }

  Set<String> columns() {
    return SchemaVersion.columns(conn, columns, table);
  }

  IndexState index(String name) {
    Boolean valid = indexes().get(name.toLowerCase(Locale.ROOT));
    if (valid == null) {
      return IndexState.MISSING;
    }
    return valid ? IndexState.VALID : IndexState.INVALID;
  }

  /** Whether each index of the table is valid, by its name in lower case. */
  Map<String, Boolean> indexes() {
    Map<String, Boolean> indexes = new HashMap<>();
    migration.query(
        conn,
        "indexes",
        names(),
        row ->
            indexes.put(
                row.getString("index_name").toLowerCase(Locale.ROOT), row.getInt("valid") == 1));
    return indexes;
  }

  /** Whether a row without a key would be refused. */
  boolean requiresKey() {
    return !numbers("key_required", names()).isEmpty();
  }

  long estimatedRows() {
    return number("estimate", names());
  }

  long rowsWithoutKey() {
    return number("keyless", migration.parameters());
  }

  /** Counts those that were created at most so long ago. */
  long youngRowsWithoutKey(Duration age) {
    return number("keyless_young", migration.parameters().duration("age", age));
  }

  private long number(String statement, Parameters parameters) {
    List<Long> found = numbers(statement, parameters);
    return found.isEmpty() ? 0 : found.get(0);
  }

  private List<Long> numbers(String statement, Parameters parameters) {
    return migration.query(conn, statement, parameters, row -> row.getLong("found"));
  }

  private Parameters names() {
    return migration
        .parameters()
        .text("table", table.toString())
        .text("schema", table.schema())
        .text("name", table.name());
  }
}

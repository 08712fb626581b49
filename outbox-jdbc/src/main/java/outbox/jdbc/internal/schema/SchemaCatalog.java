package outbox.jdbc.internal.schema;

import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.sql.TableColumns;

/** Reads columns, indexes and size of a table from the catalog of the database. */
public final class SchemaCatalog {
  private final Connection conn;
  private final TableName table;
  private final Statements columns;
  private final Statements migration;

  public SchemaCatalog(Connection conn, Dialect dialect, TableName table) {
    this.conn = conn;
    this.table = table;
    this.columns = SchemaStatements.ofTable(dialect, table);
    this.migration = SchemaStatements.ofMigration(dialect, table);
  }

  enum IndexState {
    MISSING,
    /** Its build was interrupted. */
    INVALID,
    VALID
  }

  public Set<String> columns() {
    return TableColumns.of(conn, columns);
  }

  /** Returns whether the table still has the columns of version 1. */
  public boolean hasVersion1() {
    return TableColumns.haveVersion1(columns());
  }

  /** Returns whether the upgrade of the table is finalized. */
  public boolean isFinalized() {
    return requiresKey() && !hasVersion1();
  }

  public IndexState index(String name) {
    Boolean valid = indexes().get(name.toLowerCase(Locale.ROOT));
    if (valid == null) {
      return IndexState.MISSING;
    }
    return valid ? IndexState.VALID : IndexState.INVALID;
  }

  /** Returns for each index, by its name in lower case, whether it is valid. */
  public Map<String, Boolean> indexes() {
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

  /** Returns whether the database refuses a row without a key. */
  boolean requiresKey() {
    return !numbers("key_required", names()).isEmpty();
  }

  public long estimatedRows() {
    return number("estimate", names());
  }

  /**
   * Returns whether texts of version 1 have another character set than utf8mb4. For dialects that
   * need another statement to convert them.
   */
  boolean hasOtherCharacters() {
    return number("other_characters", names()) > 0;
  }

  /** Stops counting at the limit. For dialects on which some changes make writers wait. */
  boolean hasMoreRowsThan(int limit) {
    return number("many_rows", migration.parameters().number("limit", limit + 1)) > limit;
  }

  public long rowsWithoutKey() {
    return number("keyless", migration.parameters());
  }

  /** Counts the rows without a key, or with their payload in version 1's column only. */
  public long unfilledRows() {
    return number("unfilled", migration.parameters());
  }

  /** Counts the rows that a node of an older version wrote or completed within this time. */
  long youngRowsOfVersion1(Duration age) {
    return number("young_of_version1", migration.parameters().duration("age", age));
  }

  /** Counts live rows that lie in the future by more than this, up to a thousand. */
  long liveRowsCreatedAhead(Duration skew) {
    return number("created_ahead", migration.parameters().duration("age", skew));
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

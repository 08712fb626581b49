package outbox.jdbc.schema;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.IndexSql;
import outbox.jdbc.internal.schema.SchemaCatalog;
import outbox.jdbc.internal.schema.SchemaScripts;
import outbox.jdbc.internal.schema.SchemaStatements;
import outbox.jdbc.internal.schema.SchemaVersion;
import outbox.jdbc.internal.schema.ScriptedTable;
import outbox.jdbc.internal.sql.JoinTables;
import outbox.jdbc.internal.sql.Statements;

/** Compares what is in a database with what this library needs. Reads only. */
final class SchemaCheck {
  /** The columns that the statements name. */
  private static final Set<String> COLUMNS =
      Set.of(
          "event_id",
          "event_type",
          "aggregate_type",
          "aggregate_id",
          "tenant_id",
          "correlation_id",
          "idempotency_key",
          "payload_text",
          "payload_bytes",
          "headers",
          "occurred_at",
          "due_at",
          "expires_at",
          "status",
          "attempts",
          "owner_token",
          "processed_by",
          "started",
          "lease_expiries",
          "available_at",
          "created_at",
          "done_at",
          "last_error",
          "listeners",
          "replays",
          "replayed_at",
          "replayed_by",
          "kept");

  private final Connection conn;
  private final Dialect dialect;
  private final TableName table;

  SchemaCheck(Connection conn, Dialect dialect, TableName table) {
    this.conn = conn;
    this.dialect = dialect;
    this.table = table;
  }

  SchemaStatus run(@Nullable JoinTables joins) {
    Statements statements = SchemaStatements.ofTable(dialect, table);
    SchemaCatalog catalog = new SchemaCatalog(conn, dialect, table);
    Set<String> columns = catalog.columns();
    int version = SchemaVersion.installed(conn, statements);
    List<String> missing = new ArrayList<>();
    boolean byHand = false;
    if (columns.isEmpty()) {
      missing.add("table " + table);
    } else {
      Set<String> lacking = new TreeSet<>(COLUMNS);
      lacking.removeAll(columns);
      byHand = version >= SchemaVersion.CURRENT && !lacking.isEmpty();
      lacking.forEach(column -> missing.add("column " + column));
      missingIndexes(catalog.indexes(), missing);
    }
    if (joins != null) {
      List<String> ofJoins =
          ScriptedTable.missing(new SchemaScripts(dialect, table).joins(joins), conn, dialect);
      byHand |= ofJoins.stream().anyMatch(each -> each.startsWith("column "));
      missing.addAll(ofJoins);
    }
    return new SchemaStatus(
        table.toString(),
        version,
        SchemaVersion.CURRENT,
        missing,
        !columns.isEmpty() && catalog.isFinalized(),
        byHand);
  }

  private void missingIndexes(Map<String, Boolean> indexes, List<String> missing) {
    SchemaScripts scripts = new SchemaScripts(dialect, table);
    for (int version = 2; version <= SchemaVersion.CURRENT; version++) {
      for (String sql : scripts.version(version)) {
        Matcher create = IndexSql.CREATE.matcher(sql);
        if (create.find()) {
          Boolean valid = indexes.get(create.group(1).toLowerCase(Locale.ROOT));
          if (valid == null) {
            missing.add("index " + create.group(1));
          } else if (!valid) {
            missing.add("index " + create.group(1) + ", whose build was cut off");
          }
        }
      }
    }
  }
}

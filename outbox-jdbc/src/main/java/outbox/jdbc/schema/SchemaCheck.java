package outbox.jdbc.schema;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.Routines;
import outbox.jdbc.internal.schema.SchemaCatalog;
import outbox.jdbc.internal.schema.SchemaScripts;
import outbox.jdbc.internal.schema.SchemaStatements;
import outbox.jdbc.internal.schema.SchemaVersion;
import outbox.jdbc.internal.schema.ScriptedTable;
import outbox.jdbc.internal.sql.JoinTables;

/** Compares the tables of a database with those that this library needs. Reads only. */
final class SchemaCheck {
  private final Connection conn;
  private final Dialect dialect;
  private final TableName table;

  SchemaCheck(Connection conn, Dialect dialect, TableName table) {
    this.conn = conn;
    this.dialect = dialect;
    this.table = table;
  }

  SchemaStatus run(@Nullable JoinTables joins, boolean routines) {
    SchemaScripts scripts = new SchemaScripts(dialect, table);
    int version = SchemaVersion.installed(conn, SchemaStatements.ofTable(dialect, table));
    List<String> missing =
        new ArrayList<>(ScriptedTable.of(scripts.outbox()).get(0).missing(conn, dialect));
    boolean byHand =
        version >= SchemaVersion.CURRENT
            && missing.stream().anyMatch(each -> each.startsWith("column "));
    if (version >= SchemaVersion.CURRENT) {
      missing.addAll(ScriptedTable.missingBeside(table, scripts.outbox(), conn, dialect));
    }
    if (joins != null) {
      missing.addAll(ScriptedTable.missing(scripts.joins(joins), conn, dialect));
    }
    if (routines && !new Routines(dialect, table, joins).areInstalled(conn)) {
      missing.add("stored routines of this version");
    }
    return new SchemaStatus(
        table.toString(),
        version,
        SchemaVersion.CURRENT,
        missing,
        version > 0 && new SchemaCatalog(conn, dialect, table).isFinalized(),
        byHand);
  }
}

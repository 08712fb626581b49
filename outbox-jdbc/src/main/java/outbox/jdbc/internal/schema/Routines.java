package outbox.jdbc.internal.schema;

import java.sql.Connection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.JoinTables;
import outbox.jdbc.internal.sql.SqlFile;
import outbox.jdbc.internal.sql.Statements;

/** The stored routines of one table, for callers that use SQL. The library does not call them. */
public final class Routines {
  private static final Pattern CREATE =
      Pattern.compile("^CREATE OR (?:REPLACE FUNCTION|ALTER PROCEDURE) ([\\w.]+)");

  private final Statements statements;
  private final List<String> definitions;

  public Routines(Dialect dialect, TableName table, @Nullable JoinTables joins) {
    this.statements = SchemaStatements.ofMigration(dialect, table);
    this.definitions = SqlFile.statements(new SchemaScripts(dialect, table).routines(joins));
  }

  /** Returns the statements that create or replace them, in order. They can be repeated. */
  public List<String> definitions() {
    return definitions;
  }

  /** Returns whether exactly these routines are installed, comments and blanks aside. */
  public boolean areInstalled(Connection conn) {
    return definitions.stream().allMatch(definition -> isInstalled(conn, definition));
  }

  private boolean isInstalled(Connection conn, String definition) {
    Matcher create = CREATE.matcher(definition);
    return !create.find()
        || statements
            .query(
                conn,
                "routine_source",
                statements.parameters().text("routine", create.group(1)),
                row -> plain(row.getString("source")))
            .stream()
            .anyMatch(source -> !source.isEmpty() && plain(definition).contains(source));
  }

  private static String plain(String sql) {
    return sql.replaceAll("--.*", "").replaceAll("\\s+", " ").strip();
  }
}

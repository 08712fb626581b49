package outbox.jdbc.internal.schema;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.SqlFile;

/**
 * A table that a script creates: which columns and indexes it must have, and the statements that
 * create it or complete an older one. Immutable.
 */
public final class ScriptedTable {
  private static final Pattern TABLE = Pattern.compile("^CREATE TABLE (\\S+) \\(");
  private static final Pattern INDEX =
      Pattern.compile("^CREATE (?:UNIQUE )?INDEX (\\S+) ON (\\S+)");
  private static final Pattern COLUMN = Pattern.compile("([a-z_]+) .*");
  private static final Pattern INDEX_OF_TABLE =
      Pattern.compile("((?:UNIQUE )?INDEX) (\\S+) (\\(.*)");

  private final TableName table;

  /** How each column is added, by its name. */
  private final Map<String, String> columns = new LinkedHashMap<>();

  /** How each index is added, by its name. */
  private final Map<String, String> indexes = new LinkedHashMap<>();

  /** How the table is created, with its indexes. */
  private final List<String> statements = new ArrayList<>();

  private ScriptedTable(TableName table, List<String> parts) {
    this.table = table;
    for (String part : parts) {
      Matcher column = COLUMN.matcher(part);
      Matcher index = INDEX_OF_TABLE.matcher(part);
      if (column.matches()) {
        columns.put(group(column, 1), "ALTER TABLE " + table + " ADD " + part);
      } else if (index.matches()) {
        String create = "CREATE " + group(index, 1) + " " + group(index, 2) + " ON " + table;
        indexes.put(group(index, 2), create + " " + group(index, 3));
      }
    }
  }

  /** Returns the tables of a script, in its order. */
  public static List<ScriptedTable> of(String script) {
    Map<String, ScriptedTable> tables = new LinkedHashMap<>();
    for (String sql : SqlFile.statements(script)) {
      Matcher table = TABLE.matcher(sql);
      Matcher index = INDEX.matcher(sql);
      if (table.find()) {
        String name = group(table, 1);
        tables.put(name, new ScriptedTable(TableName.of(name), parts(sql, table.end())));
        requireNonNull(tables.get(name)).statements.add(sql);
      } else if (index.find()) {
        ScriptedTable of = requireNonNull(tables.get(group(index, 2)));
        of.indexes.put(group(index, 1), sql);
        of.statements.add(sql);
      }
    }
    return List.copyOf(tables.values());
  }

  private static String group(Matcher matcher, int number) {
    return requireNonNull(matcher.group(number));
  }

  /** What stands between the commas of a CREATE TABLE, each on one line. */
  private static List<String> parts(String create, int from) {
    List<String> parts = new ArrayList<>();
    int start = from;
    int depth = 0;
    for (int i = start; depth >= 0; i++) {
      char c = create.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth < 0 || (depth == 0 && c == ',')) {
        parts.add(create.substring(start, i).strip().replaceAll("\\s+", " "));
        start = i + 1;
      }
    }
    return parts;
  }

  /** Returns what the database lacks of the tables of a script, each in a few words. */
  public static List<String> missing(String script, Connection conn, Dialect dialect) {
    return of(script).stream().flatMap(table -> table.missing(conn, dialect).stream()).toList();
  }

  /** As {@link #missing}, without one of the tables. */
  public static List<String> missingBeside(
      TableName main, String script, Connection conn, Dialect dialect) {
    return beside(main, script).flatMap(table -> table.missing(conn, dialect).stream()).toList();
  }

  /** As {@link #completion}, without one of the tables. */
  static List<String> completionBeside(
      TableName main, String script, Connection conn, Dialect dialect) {
    return beside(main, script).flatMap(table -> table.completion(conn, dialect)).toList();
  }

  private static Stream<ScriptedTable> beside(TableName main, String script) {
    return of(script).stream().filter(each -> !each.table.equals(main));
  }

  /** Returns what the database lacks of this table, each in a few words. */
  public List<String> missing(Connection conn, Dialect dialect) {
    SchemaCatalog catalog = new SchemaCatalog(conn, dialect, table);
    if (catalog.columns().isEmpty()) {
      return List.of("table " + table);
    }
    return Stream.concat(
            missingColumns(catalog).map(column -> "column " + table + "." + column),
            missingIndexes(catalog).map(index -> "index " + index + state(catalog, index)))
        .toList();
  }

  private static String state(SchemaCatalog catalog, String index) {
    boolean invalid = catalog.index(index) == SchemaCatalog.IndexState.INVALID;
    return invalid ? ", whose build was interrupted" : "";
  }

  /** Returns the statements that add what the database lacks of the tables of a script. */
  public static List<String> completion(String script, Connection conn, Dialect dialect) {
    return of(script).stream().flatMap(table -> table.completion(conn, dialect)).toList();
  }

  private Stream<String> completion(Connection conn, Dialect dialect) {
    SchemaCatalog catalog = new SchemaCatalog(conn, dialect, table);
    return catalog.columns().isEmpty()
        ? statements.stream()
        : Stream.concat(
            missingColumns(catalog).map(columns::get), missingIndexes(catalog).map(indexes::get));
  }

  /** Returns the statements that complete a table of which there is nothing but its name. */
  public List<String> additions() {
    return Stream.concat(columns.values().stream(), indexes.values().stream()).toList();
  }

  private Stream<String> missingColumns(SchemaCatalog catalog) {
    Set<String> present = catalog.columns();
    return columns.keySet().stream().filter(column -> !present.contains(column));
  }

  private Stream<String> missingIndexes(SchemaCatalog catalog) {
    Map<String, Boolean> valid = catalog.indexes();
    return indexes.keySet().stream()
        .filter(index -> !valid.getOrDefault(index.toLowerCase(Locale.ROOT), false));
  }
}

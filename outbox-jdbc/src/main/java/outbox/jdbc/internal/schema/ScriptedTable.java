package outbox.jdbc.internal.schema;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;

/**
 * A table that a script creates: which columns and indexes it must have, and how one that is older
 * is given those that it lacks. Immutable.
 */
public final class ScriptedTable {
  private static final Pattern TABLE =
      Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(\\S+) \\(");
  private static final Pattern INDEX =
      Pattern.compile("CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?(\\S+) ON (\\S+)");
  private static final Pattern COLUMN = Pattern.compile("([a-z_]+) .*");
  private static final Pattern INDEX_OF_TABLE =
      Pattern.compile("((?:UNIQUE )?INDEX) (\\S+) (\\(.*)");

  private final TableName table;

  /** How each column is added, by its name. */
  private final Map<String, String> columns = new LinkedHashMap<>();

  /** How each index is added, by its name; empty where a statement of the script does it. */
  private final Map<String, String> indexes = new LinkedHashMap<>();

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

  /** The tables of a script, in its order. */
  public static List<ScriptedTable> of(List<String> script) {
    Map<String, ScriptedTable> tables = new LinkedHashMap<>();
    for (String sql : script) {
      Matcher table = TABLE.matcher(sql);
      Matcher index = INDEX.matcher(sql);
      if (table.find()) {
        String name = group(table, 1);
        tables.put(name, new ScriptedTable(TableName.of(name), parts(sql, table.end())));
      } else if (index.find()) {
        requireNonNull(tables.get(group(index, 2))).indexes.put(group(index, 1), "");
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

  /** What the database does not have of the tables of a script, each in a few words. */
  public static List<String> missing(List<String> script, Connection conn, Dialect dialect) {
    return of(script).stream().flatMap(table -> table.missing(conn, dialect)).toList();
  }

  private Stream<String> missing(Connection conn, Dialect dialect) {
    SchemaCatalog catalog = new SchemaCatalog(conn, dialect, table);
    return catalog.columns().isEmpty()
        ? Stream.of("table " + table)
        : Stream.concat(
            missingColumns(catalog).map(column -> "column " + table + "." + column),
            missingIndexes(catalog).map(index -> "index " + index));
  }

  /** The statements that complete a table which is there, beside those of the script itself. */
  public List<String> additions(Connection conn, Dialect dialect) {
    SchemaCatalog catalog = new SchemaCatalog(conn, dialect, table);
    return catalog.columns().isEmpty()
        ? List.of()
        : additions(missingColumns(catalog), missingIndexes(catalog));
  }

  /** The same for a table of which nothing but the name is there. */
  public List<String> additions() {
    return additions(columns.keySet().stream(), indexes.keySet().stream());
  }

  private List<String> additions(Stream<String> lackingColumns, Stream<String> lackingIndexes) {
    return Stream.concat(lackingColumns.map(columns::get), lackingIndexes.map(indexes::get))
        .filter(Predicate.not(String::isEmpty))
        .toList();
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

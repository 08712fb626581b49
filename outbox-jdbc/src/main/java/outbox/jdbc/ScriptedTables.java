package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables that a script creates, with their columns and indexes: what must be there after it.
 */
final class ScriptedTables {
  private static final Pattern TABLE =
      Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(\\S+) \\((.*?)\\n\\)", Pattern.DOTALL);
  private static final Pattern COLUMN = Pattern.compile("(?m)^  ([a-z_]+) [A-Z]");
  private static final Pattern INDEX_OF_TABLE =
      Pattern.compile("(?m)^  (?:UNIQUE )?INDEX (\\S+) \\(");
  private static final Pattern INDEX =
      Pattern.compile("CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?(\\S+) ON (\\S+)");

  private final Map<String, Set<String>> columns = new LinkedHashMap<>();
  private final Map<String, Set<String>> indexes = new LinkedHashMap<>();

  ScriptedTables(List<String> script) {
    for (String sql : script) {
      Matcher table = TABLE.matcher(sql);
      if (table.find()) {
        String name = requireNonNull(table.group(1));
        String body = requireNonNull(table.group(2));
        columns.put(name, names(COLUMN, body));
        indexes.put(name, names(INDEX_OF_TABLE, body));
      }
      Matcher index = INDEX.matcher(sql);
      if (index.find()) {
        indexes.getOrDefault(index.group(2), new TreeSet<>()).add(index.group(1));
      }
    }
  }

  private static Set<String> names(Pattern pattern, String text) {
    Set<String> names = new TreeSet<>();
    pattern.matcher(text).results().forEach(match -> names.add(match.group(1)));
    return names;
  }

  /** What of it the database does not have, each in a few words. */
  List<String> missing(Connection conn, Dialect dialect) {
    List<String> missing = new ArrayList<>();
    columns.forEach(
        (name, needed) -> {
          SchemaCatalog catalog = new SchemaCatalog(conn, dialect, TableName.of(name));
          Set<String> lacking = new TreeSet<>(needed);
          lacking.removeAll(catalog.columns());
          if (lacking.size() == needed.size()) {
            missing.add("table " + name);
            return;
          }
          lacking.forEach(column -> missing.add("column " + name + "." + column));
          Map<String, Boolean> found = catalog.indexes();
          for (String index : indexes.getOrDefault(name, Set.of())) {
            if (!found.getOrDefault(index.toLowerCase(Locale.ROOT), false)) {
              missing.add("index " + index);
            }
          }
        });
    return missing;
  }
}

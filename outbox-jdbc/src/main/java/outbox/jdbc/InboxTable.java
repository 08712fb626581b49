package outbox.jdbc;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The table of an inbox, as the script of its database defines it: column by column and index by
 * index, so that an older table can be given what it lacks. Immutable.
 */
final class InboxTable {
  private static final Pattern CREATE_INDEX =
      Pattern.compile("CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?(\\w+) ON");
  private static final Pattern INDEX = Pattern.compile("((?:UNIQUE )?INDEX) (\\w+) (\\(.*)");
  private static final Pattern CONSTRAINT = Pattern.compile("(?:CONSTRAINT|CHECK|UNIQUE) .*");

  private final Dialect dialect;
  private final TableName table;
  private final List<String> script;
  private final Map<String, String> additions = new LinkedHashMap<>();

  InboxTable(Dialect dialect, TableName table) {
    this.dialect = dialect;
    this.table = table;
    this.script =
        SqlFile.script("schema/" + dialect.schemaFolder() + "/inbox.sql").stream()
            .map(sql -> sql.replace("{table}", table.toString()).replace("{name}", table.name()))
            .toList();
    parts(script.get(0)).forEach(this::read);
    for (String sql : script) {
      Matcher create = CREATE_INDEX.matcher(sql);
      if (create.find()) {
        additions.put(index(create.group(1)), sql);
      }
    }
  }

  private void read(String part) {
    Matcher index = INDEX.matcher(part);
    if (index.matches()) {
      String create = "CREATE " + index.group(1) + " " + index.group(2) + " ON " + table + " ";
      additions.put(index(index.group(2)), create + index.group(3));
    } else if (!CONSTRAINT.matcher(part).matches()) {
      String column = part.substring(0, part.indexOf(' '));
      additions.put("column " + column, "ALTER TABLE " + table + " ADD " + part);
    }
  }

  private static String index(String name) {
    return "index " + name.toLowerCase(Locale.ROOT);
  }

  /** What stands between the commas of a CREATE TABLE, each on one line. */
  private static List<String> parts(String create) {
    List<String> parts = new ArrayList<>();
    int start = create.indexOf('(', create.indexOf("CREATE TABLE")) + 1;
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

  /** Everything, for a database that has nothing of it. */
  List<String> script() {
    return script;
  }

  /** By "column headers" or "index idx_claim", how an older table is given it. */
  Map<String, String> additions() {
    return additions;
  }

  /** What makes the table complete, whatever of it is there. */
  List<String> completion(Connection conn) {
    SchemaCatalog catalog = new SchemaCatalog(conn, dialect, table);
    List<String> statements = new ArrayList<>(script);
    if (!catalog.columns().isEmpty()) {
      statements.addAll(1, missing(catalog).values());
    }
    return statements;
  }

  private Map<String, String> missing(SchemaCatalog catalog) {
    Map<String, String> missing = new LinkedHashMap<>(additions);
    catalog.columns().forEach(name -> missing.remove("column " + name));
    catalog.indexes().keySet().forEach(name -> missing.remove(index(name)));
    return missing;
  }
}

package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.SchemaScripts;
import outbox.jdbc.internal.schema.SchemaVersion;
import outbox.jdbc.internal.sql.SqlFile;

/**
 * No SQL Server is at hand whose catalog could be read, as {@link SameSchemaRules} does: this
 * applies the statements of the scripts to definitions kept as text.
 */
class SqlServerSameSchemaTest {
  private static final Dialect DIALECT = Dialects.of("Microsoft SQL Server", "16.00.4085");
  private static final SchemaScripts SCRIPTS = new SchemaScripts(DIALECT, TableName.DEFAULT);

  private static final Pattern CREATE_TABLE = Pattern.compile("^CREATE TABLE (\\S+) \\((.*)\\)$");
  private static final Pattern CREATE_INDEX =
      Pattern.compile("^CREATE ((?:UNIQUE )?INDEX) (\\S+) ON (\\S+) (.*)$");
  private static final Pattern DROP_INDEX =
      Pattern.compile("^DROP INDEX IF EXISTS (\\S+) ON (\\S+)$");
  private static final Pattern ADD = Pattern.compile("^ALTER TABLE (\\S+) ADD (.*)$");
  private static final Pattern ALTER = Pattern.compile("^ALTER TABLE (\\S+) ALTER COLUMN (.*)$");
  private static final Pattern DROP = Pattern.compile("^ALTER TABLE (\\S+) DROP COLUMN (\\S+)$");
  private static final Pattern NAMED = Pattern.compile("^((?:UNIQUE )?INDEX|CONSTRAINT) (\\S+) .*");

  /** The definition of each column, index and constraint, by its table and its name. */
  private final Map<String, String> definitions = new TreeMap<>();

  @Test
  void theStepsFromVersion1EndInTheTablesOfTheScript() {
    List<String> steps = new ArrayList<>(SCRIPTS.version(1));
    steps.addAll(SCRIPTS.upgradeScript("versions"));
    for (int version = 2; version <= SchemaVersion.CURRENT; version++) {
      steps.addAll(SCRIPTS.version(version));
    }
    steps.addAll(SCRIPTS.finalization());

    assertThat(after(steps))
        .isEqualTo(after(SqlFile.statements(SCRIPTS.outbox())))
        .hasSizeGreaterThan(35)
        .containsKeys("outbox_event.idempotency_key", "outbox_event.idx_claim")
        .containsKeys("outbox_event.outbox_event_payload", "outbox_event_schema.version")
        .doesNotContainKeys("outbox_event.payload", "outbox_event.idx_status_available");
  }

  private static Map<String, String> after(List<String> statements) {
    SqlServerSameSchemaTest tables = new SqlServerSameSchemaTest();
    statements.stream()
        .map(sql -> sql.replaceAll("\\s+", " ").replaceFirst("^IF .* IS NULL (?=CREATE)", ""))
        .filter(sql -> !sql.startsWith("SET ") && !sql.startsWith("INSERT "))
        .forEach(tables::apply);
    return tables.definitions;
  }

  private void apply(String sql) {
    if (CREATE_TABLE.matcher(sql).matches()) {
      define(CREATE_TABLE.matcher(sql));
    } else if (ADD.matcher(sql).matches()) {
      define(ADD.matcher(sql));
    } else if (ALTER.matcher(sql).matches()) {
      define(ALTER.matcher(sql));
    } else if (CREATE_INDEX.matcher(sql).matches()) {
      Matcher index = matched(CREATE_INDEX, sql);
      put(index.group(3), index.group(2), index.group(1) + " " + index.group(4));
    } else if (DROP_INDEX.matcher(sql).matches()) {
      Matcher index = matched(DROP_INDEX, sql);
      assertThat(definitions.remove(index.group(2) + "." + index.group(1))).isNotNull();
    } else {
      Matcher column = matched(DROP, sql);
      assertThat(definitions.remove(column.group(1) + "." + column.group(2))).isNotNull();
    }
  }

  private void define(Matcher statement) {
    assertThat(statement.matches()).isTrue();
    for (String part : parts(statement.group(2))) {
      Matcher named = NAMED.matcher(part);
      int name = part.indexOf(' ');
      if (named.matches()) {
        String rest = part.substring(named.end(2) + 1);
        put(statement.group(1), named.group(2), named.group(1) + " " + rest);
      } else {
        put(statement.group(1), part.substring(0, name), part.substring(name + 1));
      }
    }
  }

  private void put(String table, String name, String definition) {
    definitions.put(table + "." + name, definition);
  }

  private static Matcher matched(Pattern pattern, String sql) {
    Matcher matcher = pattern.matcher(sql);
    assertThat(matcher.matches()).as(sql).isTrue();
    return matcher;
  }

  /** What stands between the commas outside of parentheses. */
  private static List<String> parts(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0 && c == ',') {
        parts.add(text.substring(start, i).strip());
        start = i + 1;
      }
    }
    parts.add(text.substring(start).strip());
    return parts;
  }
}

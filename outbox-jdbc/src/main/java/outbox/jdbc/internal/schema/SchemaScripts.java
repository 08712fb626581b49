package outbox.jdbc.internal.schema;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.JoinTables;
import outbox.jdbc.internal.sql.SqlFile;

/**
 * The scripts of the schema for one table. Those for an empty database are written for the default
 * names, so that a person can read and run them as they are in the jar; the steps of an upgrade are
 * templates.
 */
public final class SchemaScripts {
  private static final List<String> VERSIONS =
      List.of("V1__framework", "V2__leases", "V3__idempotency", "V4__listeners", "V5__order");

  private static final String UNFILLED =
      "\n   OR (payload IS NOT NULL AND payload_text IS NULL AND payload_bytes IS NULL AND kept = 1)";

  /**
   * A default name in a script; in the first group what makes it the name of a table, which a
   * schema may precede. Names of indexes and constraints stand without one.
   */
  private static final Pattern NAMED =
      Pattern.compile(
          "((?:TABLE|ON|INTO|REFERENCES) )?\\b(outbox_event|outbox_inbox|outbox_join)(?=_|\\b)");

  private final Dialect dialect;
  private final TableName table;

  public SchemaScripts(Dialect dialect, TableName table) {
    this.dialect = dialect;
    this.table = table;
  }

  /** Returns the script that creates the outbox in an empty database, finalized at once. */
  public String outbox() {
    return named(file("outbox"), Map.of("outbox_event", table), false);
  }

  /** Returns the script that creates the inbox; this is its table. */
  public String inbox() {
    return named(file("inbox"), Map.of("outbox_inbox", table), false);
  }

  /** Returns the script that creates the tables of joins beside this table. */
  public String joins(JoinTables joins) {
    return named(file("joins"), Map.of("outbox_event", table, "outbox_join", joins.joins()), false);
  }

  /**
   * Returns the script of the stored routines.
   *
   * @param joins the tables of joins whose steps the routines count, if there are any
   * @throws IllegalArgumentException if the library has none for this database
   */
  public String routines(@Nullable JoinTables joins) {
    dialect.requireRoutines();
    String routines = named(file("routines"), Map.of("outbox_event", table), true);
    return joins == null
        ? routines
        : routines
            + "\n"
            + named(
                file("routines-joins"),
                Map.of("outbox_event", table, "outbox_join", joins.joins()),
                true);
  }

  private String file(String name) {
    return SqlFile.text("schema/" + dialect.schemaFolder() + "/" + name + ".sql");
  }

  /** Puts names in the place of the default ones, all of them with their schema if wanted. */
  private static String named(String script, Map<String, TableName> names, boolean qualified) {
    return NAMED
        .matcher(script)
        .replaceAll(
            found -> {
              String before = found.group(1) == null ? "" : found.group(1);
              TableName name = names.getOrDefault(found.group(2), TableName.of(found.group(2)));
              return before + (qualified || !before.isEmpty() ? name : name.name());
            });
  }

  /**
   * All that brings a table of an older version here.
   *
   * @param withPayloads whether the table has version 1's payloads, as every one of version 1 has,
   *     and one of version 2 that was upgraded
   */
  public List<String> upgrade(int from, boolean withPayloads) {
    List<String> all = new ArrayList<>(dialect.schemaSettings());
    all.addAll(upgradeScript("versions"));
    List<String> indexes = new ArrayList<>();
    List<String> records = new ArrayList<>();
    for (int version = from + 1; version <= SchemaVersion.CURRENT; version++) {
      for (String sql : version(version)) {
        (IndexSql.matches(sql) ? indexes : all).add(dialect.online(sql));
      }
      records.add(record(version));
    }
    all.add(fillAll(withPayloads));
    all.addAll(indexes);
    all.addAll(records);
    return all;
  }

  /** All that finalizes an upgraded table, the last rows of older versions included. */
  public List<String> finalizeUpgrade() {
    List<String> all = new ArrayList<>(dialect.schemaSettings());
    all.add(fillAll(true));
    finalization().forEach(sql -> all.add(dialect.online(sql)));
    all.add(dropSteps());
    return all;
  }

  /** Returns the script that brings a table of an older version here; see {@link #upgrade}. */
  public String upgradeText(int from, boolean withPayloads) {
    if (from < 1 || from >= SchemaVersion.CURRENT) {
      throw new IllegalArgumentException(
          "fromVersion (" + from + ") must be at least 1 and less than " + SchemaVersion.CURRENT);
    }
    return text(upgrade(from, withPayloads));
  }

  /** Returns the script that finalizes an upgraded table. */
  public String finalizeText() {
    return text(finalizeUpgrade());
  }

  /** The statement of the migration's chunks, for all rows at once. */
  private String fillAll(boolean withPayloads) {
    String file = "migration/" + dialect.statementFile() + ".sql";
    String name = withPayloads ? "fill_keys_and_payloads" : "fill_keys";
    String chunk = requireNonNull(SqlFile.named(file).get(name), name);
    return chunk.substring(0, chunk.indexOf("WHERE event_id")).replace("{table}", table.toString())
        + "WHERE idempotency_key IS NULL"
        + (withPayloads ? UNFILLED : "");
  }

  public List<String> version(int version) {
    return upgradeScript(VERSIONS.get(version - 1));
  }

  public List<String> finalization() {
    return upgradeScript("finalize");
  }

  /** Returns the statements of a script for upgrades. */
  public List<String> upgradeScript(String script) {
    return SqlFile.statements(
        file("upgrade/" + script)
            .replace("{table}", table.toString())
            .replace("{name}", table.name())
            .replace("{schema}", table.schemaPrefix())
            .replace("{status_index}", table.statusIndex()));
  }

  /** Removes the record of a migration's steps. */
  String dropSteps() {
    return "DROP TABLE IF EXISTS " + table.steps();
  }

  private String record(int version) {
    return "INSERT INTO " + table.versions() + " (version) VALUES (" + version + ")";
  }

  /** Returns statements as a script for this database. */
  public String text(List<String> statements) {
    return statements.stream()
        .map(sql -> sql + dialect.statementEnd())
        .collect(Collectors.joining())
        .stripTrailing()
        .concat("\n");
  }
}

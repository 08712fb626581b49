package outbox.jdbc.internal.schema;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.JoinTables;
import outbox.jdbc.internal.sql.SqlFile;

/** The statements of the schema's scripts for one table, in order. */
public final class SchemaScripts {
  private static final List<String> VERSIONS =
      List.of("V1__framework", "V2__leases", "V3__idempotency", "V4__listeners");

  private static final String UNFILLED =
      "\n   OR (payload IS NOT NULL AND payload_text IS NULL AND payload_bytes IS NULL AND kept = 1)";

  private final Dialect dialect;
  private final TableName table;

  public SchemaScripts(Dialect dialect, TableName table) {
    this.dialect = dialect;
    this.table = table;
  }

  /** All that makes an empty database's table, finalized at once. */
  public List<String> fresh() {
    List<String> all = new ArrayList<>(dialect.schemaSettings());
    all.addAll(of("versions"));
    for (int version = 1; version <= SchemaVersion.CURRENT; version++) {
      all.addAll(version(version));
      all.add(record(version));
    }
    all.addAll(finalization());
    all.addAll(Routines.of(dialect, table).definitions());
    return all;
  }

  /**
   * All that brings a table of an older version here.
   *
   * @param withPayloads whether the table has version 1's payloads, as every one of version 1 has,
   *     and one of version 2 that was upgraded
   */
  public List<String> upgrade(int from, boolean withPayloads) {
    List<String> all = new ArrayList<>(dialect.schemaSettings());
    all.addAll(of("versions"));
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
    all.addAll(Routines.of(dialect, table).definitions());
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
    return of(VERSIONS.get(version - 1));
  }

  public List<String> finalization() {
    return of("finalize");
  }

  public List<String> of(String script) {
    return SqlFile.script("schema/" + dialect.schemaFolder() + "/" + script + ".sql").stream()
        .map(
            sql ->
                sql.replace("{table}", table.toString())
                    .replace("{name}", table.name())
                    .replace("{schema}", table.schemaPrefix())
                    .replace("{status_index}", table.statusIndex()))
        .toList();
  }

  /** The tables of joins beside this table, and their routines. */
  public List<String> joins(JoinTables joins) {
    List<String> all =
        new ArrayList<>(SqlFile.script("schema/" + dialect.statementFile() + "/joins.sql"));
    if (dialect.hasRoutines()) {
      String file = "routines/" + dialect.statementFile() + "-joins.sql";
      all.addAll(SqlFile.named(file).values());
    }
    return all.stream()
        .map(
            sql ->
                joins
                    .named(sql)
                    .replace("{table}", table.toString())
                    .replace("{now}", dialect.now()))
        .toList();
  }

  /** Removes the record of a migration's steps. */
  String dropSteps() {
    return "DROP TABLE IF EXISTS " + table.steps();
  }

  private String record(int version) {
    return "INSERT INTO " + table.versions() + " (version) VALUES (" + version + ")";
  }

  public static String text(Dialect dialect, List<String> statements) {
    return statements.stream()
        .map(sql -> sql + dialect.statementEnd())
        .collect(Collectors.joining())
        .stripTrailing()
        .concat("\n");
  }
}

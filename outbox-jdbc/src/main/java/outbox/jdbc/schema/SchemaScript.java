package outbox.jdbc.schema;

import static java.util.Objects.requireNonNull;

import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.SchemaScripts;
import outbox.jdbc.internal.sql.JoinTables;

/**
 * The scripts of the schema for one database, as texts for Flyway, Liquibase or a DBA. Needs no
 * connection. Immutable.
 */
public final class SchemaScript {
  private final SqlDialect dialect;
  private final TableName table;

  private SchemaScript(SqlDialect dialect, TableName table) {
    this.dialect = dialect;
    this.table = table;
  }

  /** Returns the scripts for the default table, {@code outbox_event}. */
  public static SchemaScript of(SqlDialect dialect) {
    return new SchemaScript(requireNonNull(dialect, "dialect"), TableName.DEFAULT);
  }

  /** Changes the table of the outbox: a name, or a schema and a name with a dot between them. */
  public SchemaScript tableName(String tableName) {
    return new SchemaScript(dialect, TableName.of(tableName));
  }

  /** Returns the script that creates the outbox in an empty database. */
  public String outbox() {
    return scripts(table).outbox();
  }

  /** Returns the script that creates the table of the inbox, such as {@code outbox_inbox}. */
  public String inbox(String inboxTableName) {
    return scripts(TableName.of(inboxTableName)).inbox();
  }

  /** Returns the script that creates the tables of joins, such as {@code outbox_join}. */
  public String joins(String joinTableName) {
    return scripts(table).joins(JoinTables.of(joinTableName));
  }

  /**
   * Returns the script that creates or replaces the stored routines.
   *
   * @throws IllegalArgumentException if the library has none for this database
   */
  public String routines() {
    return scripts(table).routines(null);
  }

  /** As {@link #routines()}, with the routine that counts the steps of joins. */
  public String routines(String joinTableName) {
    return scripts(table).routines(JoinTables.of(joinTableName));
  }

  /**
   * Returns the script that brings a table of an older version to the newest. It expects payloads
   * of version 1, changes all rows at once, and is meant for small tables or a maintenance window.
   */
  public String upgrade(int fromVersion) {
    return scripts(table).upgradeText(fromVersion, true);
  }

  /**
   * Returns the script that ends an upgrade, for all rows at once. It checks nothing: run it only
   * when no node of an older version runs any more.
   */
  public String finalizeUpgrade() {
    return scripts(table).finalizeText();
  }

  private SchemaScripts scripts(TableName name) {
    return new SchemaScripts(dialect.dialect(), name);
  }
}

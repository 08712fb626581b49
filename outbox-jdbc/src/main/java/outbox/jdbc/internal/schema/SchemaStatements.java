package outbox.jdbc.internal.schema;

import java.util.Set;
import java.util.TreeSet;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.InstantType;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.SqlFile;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.sql.TableColumns;

/** Loads the statements that read the schema of a table and migrate its rows. */
public final class SchemaStatements {
  private static final Set<String> ASKING = Set.of(TableColumns.STATEMENT, "installed_version");

  private static final Set<String> MIGRATING =
      Set.of(
          "indexes",
          "key_required",
          "estimate",
          "steps",
          "record_step",
          "save_position",
          "record_version",
          "keyless",
          "young_of_version1",
          "unfilled",
          "last_id",
          "next_ids",
          "keyless_ids",
          "unfilled_ids",
          "lock_keyless",
          "lock_unfilled",
          "fill_keys",
          "fill_keys_and_payloads");

  /** For databases whose times carry no zone. */
  private static final Set<String> CONVERTING = Set.of("created_ahead", "times", "set_times");

  /** For databases on which some changes make writers wait. */
  private static final Set<String> LOCKING = Set.of("many_rows", "other_characters");

  private static final String ROUTINE_SOURCE = "routine_source";

  private SchemaStatements() {}

  /** Returns the statements that read the columns and the installed version. */
  public static Statements ofTable(Dialect dialect, TableName table) {
    String file = dialect.statementFile() + ".sql";
    return new Statements(dialect, table, null, SqlFile.some(ASKING, file));
  }

  /** Returns the statements of a migration. */
  public static Statements ofMigration(Dialect dialect, TableName table) {
    Set<String> required = new TreeSet<>(MIGRATING);
    if (dialect.instants() == InstantType.LOCAL_IN_UTC) {
      required.addAll(CONVERTING);
    }
    if (!dialect.tableUnlock().isEmpty()) {
      required.addAll(LOCKING);
    }
    if (dialect.hasRoutines()) {
      required.add(ROUTINE_SOURCE);
    }
    String file = "migration/" + dialect.statementFile() + ".sql";
    return new Statements(dialect, table, null, SqlFile.exactly(required, file));
  }
}

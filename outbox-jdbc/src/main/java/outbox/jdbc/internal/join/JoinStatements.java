package outbox.jdbc.internal.join;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.JoinTables;
import outbox.jdbc.internal.sql.SqlFile;
import outbox.jdbc.internal.sql.Statements;

/**
 * The statements of the joins beside the events of a table, and this database's way to use them.
 */
public final class JoinStatements {
  /** What is needed whatever the database's way to end steps. */
  private static final Set<String> COMMON =
      Set.of(
          "insert_join",
          "find_join",
          "find_joins_by_key",
          "lock_steps",
          "lock_joins",
          "insert_member",
          "find_member",
          "members",
          "flip_member",
          "update_join",
          "insert_wait",
          "lock_overdue",
          "lock_purgeable");

  private JoinStatements() {}

  /**
   * Loads and checks them.
   *
   * @param now another clock than the database's, for tests
   */
  public static Statements of(
      Dialect dialect, TableName table, JoinTables joins, @Nullable String now) {
    Set<String> required = new TreeSet<>(COMMON);
    required.addAll(
        dialect.changesInQueries() ? ReturningStepFlip.STATEMENTS : LockingStepFlip.STATEMENTS);
    Map<String, String> texts = SqlFile.exactly(required, dialect.statementFile() + "-joins.sql");
    texts.replaceAll((name, text) -> joins.named(text));
    return new Statements(dialect, table, now, texts);
  }

  public static StepFlip stepFlip(Statements statements) {
    return statements.dialect().changesInQueries()
        ? new ReturningStepFlip(statements)
        : new LockingStepFlip(statements);
  }
}

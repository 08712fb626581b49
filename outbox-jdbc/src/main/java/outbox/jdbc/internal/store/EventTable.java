package outbox.jdbc.internal.store;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.SqlFile;
import outbox.jdbc.internal.sql.Statements;

/**
 * A table with leases in one database: its statements, and the ways in which this database takes
 * leases and inserts events. What gates, fences and completes a row is alike in all such tables,
 * and so are the statements for it. Immutable.
 */
public final class EventTable {
  /** What every table with leases needs, whatever the database's way of locking. */
  private static final Set<String> LEASING =
      Set.of(
          "columns",
          "installed_version",
          "any_due",
          "inspect",
          "ack",
          "abandon",
          "defer",
          "fail",
          "renew",
          "mark_started",
          "reap",
          "now",
          "backlog",
          "dead_letters",
          "dead_letter",
          "count_dead",
          "replay",
          "discard",
          "purge_payloads",
          "purge_done",
          "purge_dead");

  /** Statements over one row, whose plan may be kept. */
  private static final Set<String> SINGLE =
      Set.of("insert", "insert_all", "receive", "receive_all", "enqueue", "see", "get");

  private final TableKind kind;
  private final Statements statements;
  private final EventRows rows;
  private final Leases leases;
  private final KeyedInserts keyedInserts;
  private final @Nullable Order order;

  /**
   * Loads and checks the statements.
   *
   * @param now another clock than the database's, for tests
   */
  public EventTable(Dialect dialect, TableKind kind, TableName table, @Nullable String now) {
    this.kind = kind;
    this.statements = new Statements(dialect, table, now, texts(dialect, kind), SINGLE);
    this.rows = kind == TableKind.INBOX ? new InboxRows(statements) : new EventRows(statements);
    this.leases =
        dialect.returnsRows()
            ? new ReturningLeases(statements, rows)
            : new LockingLeases(statements, rows);
    this.keyedInserts = keyedInserts(statements);
    this.order = kind == TableKind.OUTBOX ? Order.of(dialect, table, now, statements, rows) : null;
  }

  private static KeyedInserts keyedInserts(Statements statements) {
    if (statements.dialect().insertsPastDuplicates()) {
      return new IgnoringInserts(statements);
    }
    return statements.dialect().locksWhereInsertsAreRefused()
        ? new UpdatingInserts(statements)
        : new CatchingInserts(statements);
  }

  /** What the file of a kind says replaces what the file of all says. */
  private static Map<String, String> texts(Dialect dialect, TableKind kind) {
    Set<String> required = required(dialect, kind);
    String file = dialect.statementFile() + ".sql";
    Map<String, String> texts = SqlFile.named(file);
    if (kind == TableKind.INBOX) {
      file = kind.folder() + file;
      texts.keySet().retainAll(required);
      texts.putAll(SqlFile.named(file));
    }
    return SqlFile.exactly(required, file, texts);
  }

  private static Set<String> required(Dialect dialect, TableKind kind) {
    Set<String> required = new TreeSet<>(LEASING);
    required.addAll(kind.statements());
    required.addAll(dialect.returnsRows() ? ReturningLeases.STATEMENTS : LockingLeases.STATEMENTS);
    if (dialect.readsOldSnapshots()) {
      required.add(RowStates.UNLOCKED);
    }
    if (kind == TableKind.OUTBOX) {
      required.addAll(ofKeyedInserts(dialect));
      required.addAll(dialect.statementsOfOthers());
    } else if (!dialect.returnsRows()) {
      required.addAll(InboxRows.STATEMENTS);
    }
    return required;
  }

  private static Set<String> ofKeyedInserts(Dialect dialect) {
    if (dialect.insertsPastDuplicates()) {
      return IgnoringInserts.STATEMENTS;
    }
    return dialect.locksWhereInsertsAreRefused()
        ? UpdatingInserts.STATEMENTS
        : CatchingInserts.STATEMENTS;
  }

  public TableKind kind() {
    return kind;
  }

  public Dialect dialect() {
    return statements.dialect();
  }

  public Statements statements() {
    return statements;
  }

  public EventRows rows() {
    return rows;
  }

  public Leases leases() {
    return leases;
  }

  public KeyedInserts keyedInserts() {
    return keyedInserts;
  }

  /** The order by key; null where there is none. */
  public @Nullable Order order() {
    return order;
  }
}

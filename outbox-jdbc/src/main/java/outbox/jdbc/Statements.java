package outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.StoreException;

/** The statements of one database for one table, ready to run. Immutable. */
final class Statements {
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

  /** Statements over one row, whose plan may be kept. */
  private static final Set<String> SINGLE =
      Set.of("insert", "insert_all", "receive", "enqueue", "see", "get");

  private final Dialect dialect;
  private final TableKind kind;
  private final TableName table;
  private final Leases leases;
  private final KeyedInserts keyedInserts;
  private final Map<String, NamedStatement> statements = new HashMap<>();

  /**
   * Loads and checks those of the outbox.
   *
   * @param now another clock than the database's, for tests
   */
  Statements(Dialect dialect, TableName table, @Nullable String now) {
    this(dialect, TableKind.OUTBOX, table, now);
  }

  Statements(Dialect dialect, TableKind kind, TableName table, @Nullable String now) {
    this(dialect, kind, table, now, textsOf(dialect, kind), sql -> sql);
    Set<String> needed = needed();
    if (kind != TableKind.OUTBOX) {
      statements.keySet().retainAll(needed);
    }
    checkComplete(kind.folder() + dialect.statementFile() + ".sql", needed);
  }

  private Statements(
      Dialect dialect,
      TableKind kind,
      TableName table,
      @Nullable String now,
      Map<String, String> texts,
      UnaryOperator<String> names) {
    this.dialect = dialect;
    this.kind = kind;
    this.table = table;
    this.leases = dialect.leases(this);
    this.keyedInserts = dialect.keyedInserts(this);
    String clock = now == null ? dialect.now() : now;
    texts.forEach(
        (name, text) -> {
          String sql =
              names
                  .apply(text)
                  .replace("{table}", table.toString())
                  .replace("{name}", table.name())
                  .replace("{now}", clock);
          statements.put(name, new NamedStatement(sql));
        });
  }

  /** The statements of the joins beside the events of a table. */
  static Statements ofJoins(
      Dialect dialect, TableName table, JoinTables joins, @Nullable String now) {
    String file = dialect.statementFile() + "-joins.sql";
    Statements statements =
        new Statements(dialect, TableKind.OUTBOX, table, now, SqlFile.named(file), joins::named);
    Set<String> needed = new TreeSet<>(JdbcJoinStore.STATEMENTS);
    needed.addAll(dialect.stepFlip(statements).statementNames());
    statements.checkComplete(file, needed);
    return statements;
  }

  /** What a migration of a table asks and does. */
  static Statements ofMigration(Dialect dialect, TableName table) {
    Map<String, String> texts = SqlFile.named("migration/" + dialect.statementFile() + ".sql");
    Statements statements =
        new Statements(dialect, TableKind.OUTBOX, table, null, texts, sql -> sql);
    statements.checkComplete("migration/" + dialect.statementFile() + ".sql", MIGRATING);
    return statements;
  }

  /** What a kind's own file says replaces what the file of all says. */
  private static Map<String, String> textsOf(Dialect dialect, TableKind kind) {
    Map<String, String> texts = SqlFile.named(dialect.statementFile() + ".sql");
    if (kind != TableKind.OUTBOX) {
      texts.putAll(SqlFile.named(kind.folder() + dialect.statementFile() + ".sql"));
    }
    return texts;
  }

  private Set<String> needed() {
    Set<String> needed = new TreeSet<>(LEASING);
    needed.addAll(kind.statements());
    needed.addAll(leases.statementNames());
    if (dialect.readsOldSnapshots()) {
      needed.add("inspect_unlocked");
    }
    if (kind == TableKind.OUTBOX) {
      needed.addAll(keyedInserts.statementNames());
    }
    if (kind == TableKind.INBOX && !leases.returnsRows()) {
      needed.addAll(JdbcInboxStore.LOCKING);
    }
    return needed;
  }

  private void checkComplete(String file, Set<String> needed) {
    if (!needed.equals(statements.keySet())) {
      throw new IllegalStateException(
          file
              + " must have exactly the statements "
              + new TreeSet<>(needed)
              + " but has "
              + new TreeSet<>(statements.keySet()));
    }
  }

  Dialect dialect() {
    return dialect;
  }

  TableKind kind() {
    return kind;
  }

  TableName table() {
    return table;
  }

  Leases leases() {
    return leases;
  }

  KeyedInserts keyedInserts() {
    return keyedInserts;
  }

  /** New parameters. Only a database without a clock of its own reads {@code now} from them. */
  Parameters parameters() {
    return new Parameters(dialect).now();
  }

  Parameters parameters(Failure failure) {
    return parameters()
        .text("id", failure.eventId())
        .duration("delay", failure.delay())
        .text("error", failure.error());
  }

  /** Expired leases are looked for among the oldest rows only, however long the backlog is. */
  Parameters reaping(Duration grace, int limit, int window) {
    return parameters().duration("grace", grace).number("limit", limit).number("window", window);
  }

  /** The text of every statement as JDBC gets it, for lists as long as those given. */
  Map<String, String> texts(Parameters parameters) {
    Map<String, String> texts = new TreeMap<>();
    statements.forEach((name, statement) -> texts.put(name, statement.sql(parameters)));
    return texts;
  }

  int update(Connection conn, String name, Parameters parameters) {
    return run(conn, name, parameters, PreparedStatement::executeUpdate);
  }

  /** Runs the statement once for each of the parameters; returns how many rows each changed. */
  int[] batch(Connection conn, String name, List<Parameters> each) {
    NamedStatement named = named(name);
    try (PreparedStatement statement = conn.prepareStatement(named.sql(each.get(0)))) {
      for (Parameters parameters : each) {
        bind(statement, named, parameters);
        statement.addBatch();
      }
      return statement.executeBatch();
    } catch (SQLException e) {
      throw failed(name, e);
    }
  }

  <T> List<T> query(Connection conn, String name, Parameters parameters, RowReader<T> reader) {
    return run(
        conn,
        name,
        parameters,
        statement -> {
          List<T> rows = new ArrayList<>();
          try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
              rows.add(reader.read(row));
            }
          }
          return rows;
        });
  }

  StoreException failed(String name, SQLException e) {
    return new StoreException(
        "statement " + name + " on " + table + " failed, SQLState " + e.getSQLState(), e);
  }

  private <T> T run(Connection conn, String name, Parameters parameters, Execution<T> execution) {
    NamedStatement named = named(name);
    boolean ages = dialect.keepsPlans() && !SINGLE.contains(name);
    try (PreparedStatement statement =
        conn.prepareStatement(ages ? named.aging(parameters) : named.sql(parameters))) {
      bind(statement, named, parameters);
      return execution.on(statement);
    } catch (SQLException e) {
      throw failed(name, e);
    }
  }

  private static void bind(PreparedStatement statement, NamedStatement named, Parameters parameters)
      throws SQLException {
    int index = 0;
    for (Parameters.Value value : named.values(parameters)) {
      value.set(statement, ++index);
    }
  }

  private NamedStatement named(String name) {
    NamedStatement named = statements.get(name);
    if (named == null) {
      throw new IllegalStateException("table " + table + " has no statement " + name);
    }
    return named;
  }

  /** Makes a value of the current row. */
  @FunctionalInterface
  interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  @FunctionalInterface
  private interface Execution<T> {
    T on(PreparedStatement statement) throws SQLException;
  }
}

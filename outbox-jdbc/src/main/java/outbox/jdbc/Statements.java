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
import outbox.spi.TransactionWatch;

/** The statements of one database for one table, ready to run. Immutable. */
final class Statements {
  /** Statements over one row, whose plan may be kept. */
  private static final Set<String> SINGLE =
      Set.of("insert", "insert_all", "receive", "enqueue", "see", "get");

  private final Dialect dialect;
  private final TableKind kind;
  private final TableName table;
  private final Leases leases;
  private final KeyedInserts keyedInserts;
  private final Map<String, ShapedStatement> statements = new HashMap<>();

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
    Set<String> required = RequiredStatements.ofTable(this);
    if (kind != TableKind.OUTBOX) {
      Set<String> own = ownTexts(dialect, kind).keySet();
      statements.keySet().removeIf(name -> !required.contains(name) && !own.contains(name));
    }
    checkComplete(kind.folder() + dialect.statementFile() + ".sql", required);
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
          statements.put(name, new ShapedStatement(sql));
        });
  }

  /** The statements of the joins beside the events of a table. */
  static Statements ofJoins(
      Dialect dialect, TableName table, JoinTables joins, @Nullable String now) {
    String file = dialect.statementFile() + "-joins.sql";
    Statements statements =
        new Statements(dialect, TableKind.OUTBOX, table, now, SqlFile.named(file), joins::named);
    statements.checkComplete(file, RequiredStatements.ofJoins(statements));
    return statements;
  }

  /** What a migration of a table asks and does. */
  static Statements ofMigration(Dialect dialect, TableName table) {
    String file = "migration/" + dialect.statementFile() + ".sql";
    Statements statements =
        new Statements(dialect, TableKind.OUTBOX, table, null, SqlFile.named(file), sql -> sql);
    statements.checkComplete(file, RequiredStatements.ofMigration(dialect));
    return statements;
  }

  /** What a kind's own file says replaces what the file of all says. */
  private static Map<String, String> textsOf(Dialect dialect, TableKind kind) {
    Map<String, String> texts = SqlFile.named(dialect.statementFile() + ".sql");
    if (kind != TableKind.OUTBOX) {
      texts.putAll(ownTexts(dialect, kind));
    }
    return texts;
  }

  private static Map<String, String> ownTexts(Dialect dialect, TableKind kind) {
    return SqlFile.named(kind.folder() + dialect.statementFile() + ".sql");
  }

  private void checkComplete(String file, Set<String> required) {
    if (!required.equals(statements.keySet())) {
      throw new IllegalStateException(
          file
              + " must have exactly the statements "
              + required
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

  Parameters parameters() {
    return new Parameters(dialect);
  }

  Parameters parameters(Failure failure) {
    return parameters()
        .text("id", failure.eventId())
        .duration("delay", failure.delay())
        .text("error", failure.error())
        .text("listeners", failure.listeners());
  }

  /** Expired leases are looked for among the oldest rows only, however long the backlog is. */
  Parameters reaping(Duration grace, int limit, int window) {
    return parameters().duration("grace", grace).number("limit", limit).number("window", window);
  }

  /** The text of every statement as JDBC gets it, for lists as long as those given. */
  Map<String, String> texts(Parameters parameters) {
    Map<String, String> texts = new TreeMap<>();
    statements.forEach(
        (name, statement) -> texts.put(name, statement.of(parameters).sql(parameters)));
    return texts;
  }

  int update(Connection conn, String name, Parameters parameters) {
    return run(conn, name, parameters, PreparedStatement::executeUpdate);
  }

  /** Runs the statement once for each of the parameters; returns how many rows each changed. */
  int[] batch(Connection conn, String name, List<Parameters> each) {
    NamedStatement named = named(name, each.get(0));
    return prepared(
        conn,
        name,
        named.sql(each.get(0)),
        statement -> {
          for (Parameters parameters : each) {
            named.bind(statement, parameters);
            statement.addBatch();
          }
        },
        PreparedStatement::executeBatch);
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

  private <T> T run(
      Connection conn,
      String name,
      Parameters parameters,
      LimitedStatement.Execution<T> execution) {
    NamedStatement named = named(name, parameters);
    boolean ages = dialect.keepsPlans() && !SINGLE.contains(name);
    return prepared(
        conn,
        name,
        ages ? named.aging(parameters) : named.sql(parameters),
        statement -> named.bind(statement, parameters),
        execution);
  }

  private <T> T prepared(
      Connection conn,
      String name,
      String sql,
      Binding binding,
      LimitedStatement.Execution<T> execution) {
    try {
      return TransactionWatch.past(
          conn,
          direct -> {
            try (PreparedStatement statement = direct.prepareStatement(sql)) {
              binding.bind(statement);
              return LimitedStatement.run(direct, statement, dialect, execution);
            }
          });
    } catch (SQLException e) {
      throw failed(name, e);
    }
  }

  private NamedStatement named(String name, Parameters parameters) {
    ShapedStatement statement = statements.get(name);
    if (statement == null) {
      throw new IllegalStateException("table " + table + " has no statement " + name);
    }
    return statement.of(parameters);
  }

  @FunctionalInterface
  private interface Binding {
    void bind(PreparedStatement statement) throws SQLException;
  }

  /** Makes a value of the current row. */
  @FunctionalInterface
  interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }
}

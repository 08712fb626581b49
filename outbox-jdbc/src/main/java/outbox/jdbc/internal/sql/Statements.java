package outbox.jdbc.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.spi.StoreException;
import outbox.spi.TransactionWatch;

/** The statements of one database for one table, ready to run. Immutable. */
public final class Statements {
  private final Dialect dialect;
  private final TableName table;
  private final Set<String> single;
  private final Map<String, ShapedStatement> statements = new HashMap<>();

  /** Statements of the table, of which none is over one row. */
  public Statements(
      Dialect dialect, TableName table, @Nullable String now, Map<String, String> texts) {
    this(dialect, table, now, texts, Set.of());
  }

  /**
   * Puts the names of the table and the clock into the texts.
   *
   * @param now another clock than the database's, for tests
   * @param texts the statements by the names under which they are run
   * @param single the names of those over one row, whose plan may be kept
   */
  public Statements(
      Dialect dialect,
      TableName table,
      @Nullable String now,
      Map<String, String> texts,
      Set<String> single) {
    this.dialect = dialect;
    this.table = table;
    this.single = single;
    String clock = now == null ? dialect.now() : now;
    texts.forEach(
        (name, text) -> {
          String sql =
              text.replace("{table}", table.toString())
                  .replace("{name}", table.name())
                  .replace("{now}", clock);
          statements.put(name, new ShapedStatement(sql));
        });
  }

  public Dialect dialect() {
    return dialect;
  }

  public TableName table() {
    return table;
  }

  public Parameters parameters() {
    return new Parameters(dialect);
  }

  /** The text of every statement as JDBC gets it, for lists as long as those given. */
  public Map<String, String> texts(Parameters parameters) {
    Map<String, String> texts = new TreeMap<>();
    statements.forEach(
        (name, statement) -> texts.put(name, statement.of(parameters).sql(parameters)));
    return texts;
  }

  public int update(Connection conn, String name, Parameters parameters) {
    return run(conn, name, parameters, PreparedStatement::executeUpdate);
  }

  /** Runs the statement once for each of the parameters; returns how many rows each changed. */
  public int[] batch(Connection conn, String name, List<Parameters> each) {
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

  public <T> List<T> query(
      Connection conn, String name, Parameters parameters, RowReader<T> reader) {
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

  public StoreException failed(String name, SQLException e) {
    return new StoreException(
        "statement " + name + " on " + table + " failed, SQLState " + e.getSQLState(), e);
  }

  private <T> T run(
      Connection conn,
      String name,
      Parameters parameters,
      LimitedStatement.Execution<T> execution) {
    NamedStatement named = named(name, parameters);
    boolean ages = dialect.keepsPlans() && !single.contains(name);
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
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }
}

package outbox.jdbc.internal.query;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.NamedStatement;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.SqlFile;
import outbox.spi.StoreException;

/**
 * Statements of an application's own over the tables of this library, for tools that look into them
 * from outside. Whole statements stand in one SQL file per database, each under a {@code -- name:}
 * line, with {@code :name} for a parameter, {@code {now}} for the database's clock and {@code
 * {word}} for the names given here. Each statement has a time limit; who looks waits three times
 * that for a server that says nothing. Thread-safe.
 */
public final class BoundedQueries {
  private final Builder setup;
  private volatile @Nullable Loaded loaded;

  private BoundedQueries(Builder setup) {
    this.setup = setup;
  }

  /**
   * Statements of the files {@code folder/postgresql.sql}, {@code mariadb.sql} (which MySQL uses
   * too), {@code h2.sql} and {@code sqlserver.sql} beside the class.
   */
  public static Builder builder(DataSource dataSource, Class<?> beside, String folder) {
    return new Builder(dataSource, beside, folder);
  }

  /** Looks: a transaction that changes nothing. */
  public <T> T look(Function<Session, T> work) {
    return run(true, work);
  }

  /** Changes: a transaction that is committed if the work returns. */
  public <T> T change(Function<Session, T> work) {
    return run(false, work);
  }

  private <T> T run(boolean looking, Function<Session, T> work) {
    try (Connection conn = setup.dataSource.getConnection()) {
      Loaded statements = loaded(conn);
      SessionState before = SessionState.of(conn);
      T result;
      try {
        before.begin(conn, looking, statements.dialect, setup.silence());
        result = work.apply(new Session(conn, statements, looking));
        conn.commit();
      } catch (SQLException | RuntimeException | Error e) {
        before.restoreAfter(conn, e);
        throw e;
      }
      before.restore(conn);
      return result;
    } catch (SQLException e) {
      throw new StoreException("the database failed, SQLState " + e.getSQLState(), e);
    }
  }

  private Loaded loaded(Connection conn) {
    Loaded found = loaded;
    if (found == null) {
      found = setup.load(Dialects.of(conn));
      loaded = found;
    }
    return found;
  }

  private record Loaded(Dialect dialect, Map<String, NamedStatement> statements) {}

  /** One transaction. Not thread-safe, and of no use after its end. */
  public final class Session {
    private final Connection conn;
    private final Dialect dialect;
    private final Map<String, NamedStatement> statements;

    private Session(Connection conn, Loaded loaded, boolean looking) throws SQLException {
      this.conn = conn;
      this.dialect = loaded.dialect;
      this.statements = loaded.statements;
      if (looking) {
        for (String setting : dialect.lookSettings(setup.timeLimit)) {
          try (Statement statement = conn.createStatement()) {
            statement.execute(setting);
          }
        }
      }
    }

    /** For what the stores of this library do; their statements have no time limit of ours. */
    public Connection connection() {
      return conn;
    }

    /** What the database calls itself. */
    public String product() {
      return dialect.product();
    }

    public <T> List<T> query(String name, Consumer<Parameters> values, Row.Reader<T> reader) {
      return run(
          name,
          values,
          statement -> {
            List<T> rows = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
              Row row = new Row(result, dialect);
              while (result.next()) {
                rows.add(reader.read(row));
              }
            }
            return rows;
          });
    }

    /** How many rows the statement changed. */
    public int update(String name, Consumer<Parameters> values) {
      return run(name, values, PreparedStatement::executeUpdate);
    }

    private <T> T run(String name, Consumer<Parameters> values, Execution<T> execution) {
      NamedStatement named = requireNonNull(statements.get(name), name);
      Parameters parameters = new Parameters(dialect);
      values.accept(parameters);
      try (PreparedStatement statement = conn.prepareStatement(named.sql(parameters))) {
        named.bind(statement, parameters);
        statement.setQueryTimeout(setup.timeLimitSeconds());
        try {
          return execution.on(statement);
        } finally {
          // H2 keeps it for the whole session.
          statement.setQueryTimeout(0);
        }
      } catch (SQLException e) {
        throw new StoreException("statement " + name + " failed, SQLState " + e.getSQLState(), e);
      }
    }
  }

  @FunctionalInterface
  private interface Execution<T> {
    T on(PreparedStatement statement) throws SQLException;
  }

  /** Collects names and settings. Not thread-safe. */
  public static final class Builder {
    private static final Duration DEFAULT_TIME_LIMIT = Duration.ofSeconds(5);
    private static final int SILENCE = 3;

    private final DataSource dataSource;
    private final Class<?> beside;
    private final String folder;
    private final Map<String, String> names = new LinkedHashMap<>();
    private Duration timeLimit = DEFAULT_TIME_LIMIT;

    private Builder(DataSource dataSource, Class<?> beside, String folder) {
      this.dataSource = requireNonNull(dataSource, "dataSource");
      this.beside = requireNonNull(beside, "beside");
      this.folder = requireNonNull(folder, "folder");
    }

    /**
     * A table: {@code {word}} becomes its name, and {@code {word_name}} its name without a schema.
     *
     * @throws IllegalArgumentException if it is no name of a table
     */
    public Builder table(String word, String tableName) {
      TableName table = TableName.of(tableName);
      return name(word, table.toString()).name(word + "_name", table.name());
    }

    /** What a word in braces becomes, as it is: never what a user typed. */
    public Builder name(String word, String sql) {
      names.put("{" + word + "}", sql);
      return this;
    }

    /** How long a statement may take; 5 seconds by default. */
    public Builder timeLimit(Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException("timeLimit (" + value + ") must be positive");
      }
      this.timeLimit = value;
      return this;
    }

    public BoundedQueries build() {
      return new BoundedQueries(this);
    }

    /**
     * The texts of the statements, as JDBC gets them, on the database of this product; for tests.
     */
    public Map<String, String> texts(String product) {
      Loaded loaded = load(Dialects.of(product, ""));
      Parameters parameters = new Parameters(loaded.dialect).list("ids", List.of("id"));
      Map<String, String> texts = new TreeMap<>();
      loaded.statements.forEach((name, statement) -> texts.put(name, statement.sql(parameters)));
      return texts;
    }

    private Loaded load(Dialect dialect) {
      Map<String, NamedStatement> statements = new HashMap<>();
      SqlFile.named(beside, folder + "/" + dialect.statementFile() + ".sql")
          .forEach(
              (name, text) -> {
                String sql = text;
                for (Map.Entry<String, String> word : names.entrySet()) {
                  sql = sql.replace(word.getKey(), word.getValue());
                }
                statements.put(name, new NamedStatement(sql.replace("{now}", dialect.now())));
              });
      return new Loaded(dialect, statements);
    }

    /** A server that lives stops a statement at its limit, and says so long before this. */
    private Duration silence() {
      return timeLimit.multipliedBy(SILENCE);
    }

    /** JDBC counts in seconds, and 0 would be for ever. */
    private int timeLimitSeconds() {
      return (int) Math.max(1, timeLimit.plusMillis(999).toSeconds());
    }
  }
}

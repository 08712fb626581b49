package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A database server that really writes to disk, and one connection to look after it. */
abstract class Server implements AutoCloseable {
  private final DataSource dataSource;
  private final Connection admin;

  Server(DataSource dataSource) throws SQLException {
    this.dataSource = dataSource;
    this.admin = dataSource.getConnection();
  }

  /** The statements of the floor in the words of this server. */
  abstract PlainSql sql();

  /** What loads, analyses and flushes the tables. */
  abstract TableSql tableSql();

  abstract ServerCpu cpu();

  /** How many bytes the server has written to its log of changes since some moment. */
  abstract long logPosition();

  /** What the server calls this log. */
  abstract String logName();

  /** Name, version and settings. */
  abstract String describe();

  /** Off while something is measured. Takes effect for connections made from now on. */
  abstract void countStatements(boolean on);

  /** Returns when the server has counted what connections that are closed by now have done. */
  abstract void settle() throws InterruptedException;

  /** Statements counted while counting was on, without those that begin and end transactions. */
  abstract long statements();

  abstract long commits();

  /** Opens connections to another database of the server. */
  abstract DataSource dataSource(String database);

  DataSource dataSource() {
    return dataSource;
  }

  /** A pool filled to its size; close it. */
  HikariDataSource pool(int size) {
    HikariDataSource pool = new HikariDataSource();
    pool.setDataSource(dataSource);
    pool.setMaximumPoolSize(size);
    pool.setMinimumIdle(size);
    pool.setConnectionTimeout(30_000);
    fill(pool, size);
    return pool;
  }

  private static void fill(HikariDataSource pool, int size) {
    List<Connection> all = new ArrayList<>();
    try {
      while (all.size() < size) {
        all.add(pool.getConnection());
      }
      for (Connection connection : all) {
        connection.close();
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the pool could not be filled", e);
    }
  }

  void execute(String sql) {
    try (Statement statement = admin.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException("failed: " + sql, e);
    }
  }

  long number(String sql) {
    return number(sql, 1);
  }

  /** The number in a column of the first row. */
  long number(String sql, int column) {
    return Long.parseLong(text(sql, column));
  }

  String text(String sql) {
    return text(sql, 1);
  }

  private String text(String sql, int column) {
    try (Statement statement = admin.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      if (!row.next()) {
        throw new IllegalStateException("no row: " + sql);
      }
      return String.valueOf(row.getString(column));
    } catch (SQLException e) {
      throw new IllegalStateException("failed: " + sql, e);
    }
  }

  @Override
  public void close() throws SQLException, IOException {
    admin.close();
  }
}

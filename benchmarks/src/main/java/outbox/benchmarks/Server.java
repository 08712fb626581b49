package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** An embedded PostgreSQL that really writes to disk, and one connection to look after it. */
final class Server implements AutoCloseable {
  /** Beside fsync and synchronous_commit, only what keeps checkpoints out of the short rounds. */
  private static final Map<String, String> SETTINGS =
      new TreeMap<>(
          Map.of(
              "fsync", "on",
              "synchronous_commit", "on",
              "full_page_writes", "on",
              "shared_buffers", "512MB",
              "max_wal_size", "8GB",
              "checkpoint_timeout", "30min",
              "max_connections", "100",
              "shared_preload_libraries", "pg_stat_statements"));

  private final EmbeddedPostgres postgres;
  private final Connection admin;
  private final ServerCpu cpu;

  private Server(EmbeddedPostgres postgres) throws SQLException, IOException {
    this.postgres = postgres;
    this.admin = dataSource().getConnection();
    requireDurable();
    execute("CREATE EXTENSION pg_stat_statements");
    countStatements(false);
    Path pidFile = Path.of(text("SHOW data_directory"), "postmaster.pid");
    this.cpu = new ServerCpu(Long.parseLong(Files.readAllLines(pidFile).get(0)));
  }

  static Server start() throws IOException, SQLException {
    EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
    SETTINGS.forEach(builder::setServerConfig);
    EmbeddedPostgres postgres = builder.start();
    try {
      return new Server(postgres);
    } catch (IOException | SQLException | RuntimeException e) {
      postgres.close();
      throw e;
    }
  }

  static Map<String, String> settings() {
    return SETTINGS;
  }

  /** The embedded server is made for tests and turns these off unless told otherwise. */
  private void requireDurable() {
    for (String setting : new String[] {"fsync", "synchronous_commit"}) {
      String value = text("SHOW " + setting);
      if (!value.equals("on")) {
        throw new IllegalStateException(setting + " (" + value + ") must be on");
      }
    }
  }

  /** Off while something is measured. Takes effect for connections made from now on. */
  void countStatements(boolean on) {
    execute("ALTER SYSTEM SET pg_stat_statements.track = '" + (on ? "top" : "none") + "'");
    execute("SELECT pg_reload_conf()");
  }

  DataSource dataSource() {
    return postgres.getPostgresDatabase();
  }

  /** Opens connections to another database of the server. */
  DataSource dataSource(String database) {
    return postgres.getDatabase("postgres", database);
  }

  /** A pool filled to its size; close it. */
  HikariDataSource pool(int size) {
    HikariDataSource pool = new HikariDataSource();
    pool.setDataSource(dataSource());
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

  ServerCpu cpu() {
    return cpu;
  }

  long walPosition() {
    return number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
  }

  void execute(String sql) {
    try (Statement statement = admin.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException("failed: " + sql, e);
    }
  }

  long number(String sql) {
    return Long.parseLong(text(sql));
  }

  String text(String sql) {
    try (Statement statement = admin.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      if (!row.next()) {
        throw new IllegalStateException("no row: " + sql);
      }
      return String.valueOf(row.getString(1));
    } catch (SQLException e) {
      throw new IllegalStateException("failed: " + sql, e);
    }
  }

  @Override
  public void close() throws SQLException, IOException {
    admin.close();
    postgres.close();
  }
}

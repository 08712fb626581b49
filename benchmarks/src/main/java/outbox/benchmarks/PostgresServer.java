package outbox.benchmarks;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** An embedded PostgreSQL. */
final class PostgresServer extends Server {
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
  private final ServerCpu cpu;

  private PostgresServer(EmbeddedPostgres postgres) throws SQLException, IOException {
    super(postgres.getPostgresDatabase());
    this.postgres = postgres;
    requireDurable();
    execute("CREATE EXTENSION pg_stat_statements");
    countStatements(false);
    this.cpu = ServerCpu.ofPidFile(Path.of(text("SHOW data_directory"), "postmaster.pid"));
  }

  static PostgresServer start() throws IOException, SQLException {
    EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
    SETTINGS.forEach(builder::setServerConfig);
    EmbeddedPostgres postgres = builder.start();
    try {
      return new PostgresServer(postgres);
    } catch (IOException | SQLException | RuntimeException e) {
      postgres.close();
      throw e;
    }
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

  @Override
  PlainSql sql() {
    return new PostgresPlainSql();
  }

  @Override
  TableSql tableSql() {
    return new PostgresTableSql();
  }

  @Override
  ServerCpu cpu() {
    return cpu;
  }

  @Override
  long logPosition() {
    return number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
  }

  @Override
  String logName() {
    return "WAL";
  }

  @Override
  String describe() {
    return "PostgreSQL: "
        + text("SHOW server_version")
        + " with "
        + SETTINGS.entrySet().stream()
            .map(setting -> setting.getKey() + "=" + setting.getValue())
            .collect(Collectors.joining(", "));
  }

  @Override
  void countStatements(boolean on) {
    execute("ALTER SYSTEM SET pg_stat_statements.track = '" + (on ? "top" : "none") + "'");
    execute("SELECT pg_reload_conf()");
  }

  /** A backend reports its commits at its end at the latest. */
  @Override
  void settle() throws InterruptedException {
    String others =
        "SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND pid <> pg_backend_pid()";
    while (number(others) > 0) {
      Thread.sleep(10);
    }
  }

  @Override
  long statements() {
    return number(
        "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"
            + " WHERE query ~* '^(insert|update|delete|select|with)' AND query !~ 'pg_'");
  }

  @Override
  long commits() {
    return number("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()");
  }

  @Override
  DataSource dataSource(String database) {
    return postgres.getDatabase("postgres", database);
  }

  @Override
  public void close() throws SQLException, IOException {
    super.close();
    postgres.close();
  }
}

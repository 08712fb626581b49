package outbox.chaos.server;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import outbox.chaos.clock.MovableClock;
import outbox.jdbc.db.CommitSpotter;

/** A PostgreSQL server, run from the binaries of the embedded one. */
public final class TriedPostgres implements TriedServer {
  private static final String APPLICATION = "chaos-node";

  private final Path binaries;
  private final DataFolder data;
  private final MovableClock clock;
  private final Path log;
  private int instances;
  private volatile PostgresInstance instance;

  private TriedPostgres(Path binaries, DataFolder data, MovableClock clock, Path log)
      throws IOException {
    this.binaries = binaries;
    this.data = data;
    this.clock = clock;
    this.log = log;
    this.instance = nextInstance();
  }

  /**
   * Starts a server.
   *
   * @param binaries the folder of initdb and postgres
   */
  public static TriedPostgres start(Path binaries, MovableClock clock, Path folder)
      throws IOException, InterruptedException {
    TriedPostgres server =
        new TriedPostgres(
            binaries,
            DataFolder.create(folder.resolve("postgresql")),
            clock,
            folder.resolve("postgresql.log"));
    server.instance.initialize(binaries);
    server.start();
    return server;
  }

  private PostgresInstance nextInstance() throws IOException {
    instances++;
    return new PostgresInstance(binaries, data, "data-" + instances, clock, log);
  }

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public int port() {
    return instance.port();
  }

  @Override
  public String url(String database, int throughPort) {
    return "jdbc:postgresql://127.0.0.1:"
        + throughPort
        + "/"
        + database
        + "?user=postgres&sslmode=disable&connectTimeout=2&ApplicationName="
        + APPLICATION;
  }

  @Override
  public String operatorUrl(String database) {
    return instance.url(database, "operator");
  }

  @Override
  public void createDatabase(String name) throws SQLException {
    execute("postgres", "CREATE DATABASE " + name);
  }

  @Override
  public void stop(Stop how) throws InterruptedException {
    instance.end(
        switch (how) {
          case FAST -> "INT";
          case IMMEDIATE -> "QUIT";
          case KILL -> "KILL";
        });
  }

  @Override
  public void start() throws InterruptedException {
    instance.start();
  }

  @Override
  public void killSessions() throws SQLException {
    execute(
        "postgres",
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '"
            + APPLICATION
            + "'");
  }

  @Override
  public long sessions() throws SQLException {
    return count(
        "postgres",
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + APPLICATION + "'");
  }

  @Override
  public void readOnly(boolean readOnly) throws SQLException {
    execute("postgres", "ALTER SYSTEM SET default_transaction_read_only = " + readOnly);
    execute("postgres", "SELECT pg_reload_conf()");
  }

  @Override
  public void lockTable(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("LOCK TABLE outbox_event IN ACCESS EXCLUSIVE MODE");
    }
  }

  @Override
  public void takeSnapshot(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      statement.execute("SELECT count(*) FROM business");
    }
  }

  @Override
  public boolean canFailOver() {
    return true;
  }

  @Override
  public void failOver(Duration beside) throws Exception {
    PostgresInstance standby = nextInstance();
    new Failover(instance, standby).run(beside);
    instance = standby;
  }

  @Override
  public CommitSpotter spotter() {
    return CommitSpotter.ofPostgres();
  }

  @Override
  public long timeOfDay() throws SQLException {
    return count("postgres", "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)");
  }

  @Override
  public MovableClock clock() {
    return clock;
  }

  @Override
  public DataFolder data() {
    return data;
  }
}

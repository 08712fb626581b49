package outbox.chaos.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import outbox.jdbc.db.PostgresServer;
import outbox.jdbc.schema.OutboxSchema;

/** A PostgreSQL server of its own with a database for each tenant. */
final class TenantServer implements AutoCloseable {
  static final String APPLICATION = "many";
  private static final String TEMPLATE = "tenant_template";
  private static final int[] CPU_FIELDS = {11, 12, 13, 14};

  private final PostgresServer server = PostgresServer.startOwn();
  private final List<String> names = new ArrayList<>();

  TenantServer(int tenants) throws SQLException {
    server.createDatabase(TEMPLATE);
    OutboxSchema.of(dataSource(TEMPLATE)).deploy();
    for (int i = 1; i <= tenants; i++) {
      String name = "tenant_" + i;
      execute("CREATE DATABASE " + name + " TEMPLATE " + TEMPLATE);
      names.add(name);
    }
  }

  List<String> names() {
    return List.copyOf(names);
  }

  int port() {
    return server.port();
  }

  /** By which the connections can be told from those of the test itself. */
  String url(String tenant) {
    return server.url(tenant) + "&ApplicationName=" + APPLICATION;
  }

  Connection connect(String tenant) throws SQLException {
    return DriverManager.getConnection(server.url(tenant));
  }

  void drop(String tenant) {
    server.dropDatabase(tenant);
  }

  private DataSource dataSource(String database) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url(database));
    return source;
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = connect("postgres");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Transactions and sessions of all tenants, and CPU time of server and JVM, so far. */
  Usage usage() throws SQLException {
    try (Connection connection = connect("postgres");
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT sum(xact_commit + xact_rollback), sum(sessions), pg_backend_pid()"
                    + " FROM pg_stat_database WHERE datname LIKE 'tenant%'")) {
      row.next();
      ProcessHandle postmaster =
          ProcessHandle.of(row.getLong(3)).flatMap(ProcessHandle::parent).orElseThrow();
      return new Usage(
          System.nanoTime(),
          row.getLong(1),
          row.getLong(2),
          cpu(postmaster),
          ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO));
    }
  }

  /** Of the postmaster, of the processes that it has reaped and of those that run. */
  private static Duration cpu(ProcessHandle postmaster) {
    long ticks = ticks(postmaster.pid(), CPU_FIELDS.length);
    ticks += postmaster.children().mapToLong(child -> ticks(child.pid(), 2)).sum();
    return Duration.ofMillis(ticks * 10);
  }

  private static long ticks(long pid, int fields) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      String[] values = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      long sum = 0;
      for (int i = 0; i < fields; i++) {
        sum += Long.parseLong(values[CPU_FIELDS[i]]);
      }
      return sum;
    } catch (java.nio.file.NoSuchFileException e) {
      return 0; // It ended meanwhile; the postmaster's account has its time now.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    server.stop();
  }

  /** A reading of the meters. */
  record Usage(long nanos, long transactions, long sessions, Duration server, Duration jvm) {

    String since(Usage before) {
      double seconds = (nanos - before.nanos) / 1e9;
      return String.format(
          "%.0f transactions/s, %.0f connections opened/s, CPU of server %.1f %%, of JVM %.1f %%"
              + " of one core, over %.0f s",
          (transactions - before.transactions) / seconds,
          (sessions - before.sessions) / seconds,
          server.minus(before.server).toMillis() / seconds / 10,
          jvm.minus(before.jvm).toMillis() / seconds / 10,
          seconds);
    }
  }
}

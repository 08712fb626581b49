package outbox.jdbc.db;

import static java.util.Objects.requireNonNullElse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * A MySQL server from the folder that {@code tools/mysql} fetches, or the server of the JDBC URL in
 * the environment variable {@value #URL}, whose user may create databases. The started one's
 * defaults are hostile on purpose, as {@link MariaDbServer}'s are; unlike that one, it rolls back a
 * whole transaction when a lock does not come in time.
 */
final class MySqlServer implements Server {
  static final String URL = "OUTBOX_MYSQL_URL";

  /** The end of ./check counts the tests that were skipped for this reason. */
  static final String NO_SERVER = "there is no MySQL server";

  private static final String SCHEME = "jdbc:mysql:";
  private static final String MARIADB_SCHEME = "jdbc:mariadb:";
  private static final Duration START_LIMIT = Duration.ofMinutes(5);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  private final String before;
  private final String after;

  /** What stands before and after the name of a database in a JDBC URL. */
  private MySqlServer(String before, String after) {
    this.before = before;
    this.after = after;
  }

  /** Where there is no server the tests are skipped, with this sentence in the report. */
  static MySqlServer instance() {
    if (!isThere()) {
      throw new TestAbortedException(
          NO_SERVER
              + "; run tools/mysql, which fetches one on Debian, or set "
              + URL
              + " to a server's URL, such as jdbc:mysql://localhost/?user=root, to run the tests on"
              + " MySQL");
    }
    return Holder.INSTANCE;
  }

  static boolean isThere() {
    return System.getenv(URL) != null || folder().isPresent();
  }

  /** The server as MariaDB's driver reaches it. */
  MySqlServer byMariaDbDriver() {
    return new MySqlServer(before.replace(SCHEME, MARIADB_SCHEME), after);
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

  private static MySqlServer at(String url) {
    int name = url.indexOf('/', url.indexOf("//") + 2) + 1;
    int options = url.indexOf('?', name);
    return new MySqlServer(url.substring(0, name), options < 0 ? "" : url.substring(options));
  }

  /** The newest that tools/mysql has fetched. */
  private static Optional<Path> folder() {
    String home = requireNonNullElse(System.getenv("HOME"), System.getProperty("user.home"));
    Path cache = Path.of(home, ".cache", "outbox");
    if (!Files.isDirectory(cache)) {
      return Optional.empty();
    }
    try (Stream<Path> folders = Files.list(cache)) {
      return folders
          .filter(folder -> folder.getFileName().toString().startsWith("mysql-"))
          .filter(folder -> Files.isExecutable(folder.resolve("mysqld")))
          .max(Comparator.comparing(MySqlServer::version));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its numbers in one text that sorts as they do. */
  private static String version(Path folder) {
    String[] numbers = folder.getFileName().toString().replaceAll("[^0-9.]", "").split("\\.");
    return Stream.of(numbers).map(number -> "0".repeat(9 - number.length()) + number).toList() + "";
  }

  private static MySqlServer start(Path folder) {
    try {
      Path home = Files.createTempDirectory("outbox-mysql");
      copy(folder.resolve("data"), home.resolve("data"));
      int port = FreePort.next();
      Path log = home.resolve("log");
      Process process =
          new ProcessBuilder(command(folder, home, port))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(process, home), "mysql-stop"));
      MySqlServer server =
          new MySqlServer(
              SCHEME + "//127.0.0.1:" + port + "/",
              "?user=root&sslMode=DISABLED&allowPublicKeyRetrieval=true");
      server.await(process, log);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException("MySQL did not start", e);
    }
  }

  private static List<String> command(Path folder, Path home, int port) {
    return List.of(
        folder.resolve("mysqld").toString(),
        "--datadir=" + home.resolve("data"),
        "--socket=" + home.resolve("socket"),
        "--pid-file=" + home.resolve("pid"),
        "--tmpdir=" + home,
        "--port=" + port,
        "--bind-address=127.0.0.1",
        "--mysqlx=OFF",
        "--skip-log-bin",
        "--character-set-server=latin1",
        "--default-time-zone=-03:30",
        "--max-connections=300",
        "--performance-schema=OFF",
        "--innodb-rollback-on-timeout=ON",
        "--innodb-buffer-pool-size=64M",
        "--innodb-redo-log-capacity=32M",
        "--innodb-log-writer-threads=OFF",
        "--innodb-doublewrite=OFF",
        "--innodb-flush-log-at-trx-commit=0");
  }

  private void await(Process process, Path log) throws IOException {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (true) {
      try (Connection connection = DriverManager.getConnection(url(""))) {
        connection.isValid(1);
        return;
      } catch (SQLException e) {
        boolean refused = e.getErrorCode() != 0;
        if (refused || hasEnded(process) || System.nanoTime() > deadline) {
          throw new IllegalStateException("MySQL did not start: " + Files.readString(log), e);
        }
      }
    }
  }

  private static boolean hasEnded(Process process) {
    try {
      return process.waitFor(100, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  /** It has nothing to keep, so it is not asked to end. */
  private static void stop(Process process, Path home) {
    try {
      process.destroyForcibly().waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      Files.walkFileTree(home, new Deletion());
    } catch (IOException e) {
      System.err.println("could not delete " + home + ": " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
      Files.delete(folder);
      return FileVisitResult.CONTINUE;
    }
  }

  private static final class Holder {
    private static final MySqlServer INSTANCE =
        System.getenv(URL) == null ? start(folder().orElseThrow()) : at(System.getenv(URL));
  }
}

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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Starts MySQL servers from the folder that tools/mysql fetches. They end with the JVM. */
public final class FetchedMySql {
  private static final Duration START_LIMIT = Duration.ofMinutes(5);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  private FetchedMySql() {}

  public static boolean isThere() {
    return folder().isPresent();
  }

  /** The newest that tools/mysql has fetched. */
  static Optional<Path> folder() {
    String home = requireNonNullElse(System.getenv("HOME"), System.getProperty("user.home"));
    Path cache = Path.of(home, ".cache", "outbox");
    if (!Files.isDirectory(cache)) {
      return Optional.empty();
    }
    try (Stream<Path> folders = Files.list(cache)) {
      return folders
          .filter(folder -> folder.getFileName().toString().startsWith("mysql-"))
          .filter(folder -> Files.isExecutable(folder.resolve("mysqld")))
          .max(Comparator.comparing(FetchedMySql::version));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its numbers in one text that sorts as they do. */
  private static String version(Path folder) {
    String[] numbers = folder.getFileName().toString().replaceAll("[^0-9.]", "").split("\\.");
    return Stream.of(numbers).map(number -> "0".repeat(9 - number.length()) + number).toList() + "";
  }

  /** Starts a server with these options of mysqld beside those of its place. */
  public static ServerUrl start(List<String> options) {
    Path folder = folder().orElseThrow();
    try {
      Path home = Files.createTempDirectory("outbox-mysql");
      copy(folder.resolve("data"), home.resolve("data"));
      int port = FreePort.next();
      Path log = home.resolve("log");
      Process process =
          new ProcessBuilder(command(folder, home, port, options))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(process, home), "mysql-stop"));
      ServerUrl url =
          new ServerUrl(
              "jdbc:mysql://127.0.0.1:" + port + "/",
              "?user=root&sslMode=DISABLED&allowPublicKeyRetrieval=true");
      await(url, process, log);
      return url;
    } catch (IOException e) {
      throw new UncheckedIOException("MySQL did not start", e);
    }
  }

  private static List<String> command(Path folder, Path home, int port, List<String> options) {
    List<String> command =
        new ArrayList<>(
            List.of(
                folder.resolve("mysqld").toString(),
                "--datadir=" + home.resolve("data"),
                "--socket=" + home.resolve("socket"),
                "--pid-file=" + home.resolve("pid"),
                "--tmpdir=" + home,
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--mysqlx=OFF",
                "--skip-log-bin"));
    command.addAll(options);
    return command;
  }

  private static void await(ServerUrl url, Process process, Path log) throws IOException {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (true) {
      try (Connection connection = DriverManager.getConnection(url.of(""))) {
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
}

package outbox.chaos.server;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import outbox.chaos.clock.MovableClock;
import outbox.jdbc.db.FreePort;

/** One data directory of PostgreSQL and the server on it. */
final class PostgresInstance {
  private final DataFolder folder;
  private final String name;
  private final Path log;
  private final int port;
  private final ServerProcess process;

  /**
   * Prepares one, without starting it.
   *
   * @param name of its data directory in the folder
   */
  PostgresInstance(Path binaries, DataFolder folder, String name, MovableClock clock, Path log)
      throws IOException {
    this.folder = folder;
    this.name = name;
    this.log = log;
    this.port = FreePort.next();
    this.process =
        new ServerProcess(
            folder.command(
                false,
                List.of(
                    binaries.resolve("postgres").toString(),
                    "-D",
                    data(),
                    "-p",
                    String.valueOf(port),
                    "-c",
                    "listen_addresses=127.0.0.1",
                    "-c",
                    "unix_socket_directories=",
                    "-c",
                    "max_connections=400",
                    "-c",
                    "shared_buffers=128MB",
                    "-c",
                    "max_wal_size=256MB",
                    "-c",
                    "wal_keep_size=64MB",
                    "-c",
                    "synchronous_commit=on",
                    "-c",
                    "timezone=America/St_Johns")),
            clock,
            log);
  }

  int port() {
    return port;
  }

  String data() {
    return folder.path().resolve(name).toString();
  }

  /** The data directory as this process sees it. */
  Path seen() {
    return folder.seen().resolve(name);
  }

  String url(String database, String application) {
    return "jdbc:postgresql://127.0.0.1:"
        + port
        + "/"
        + database
        + "?user=postgres&sslmode=disable&connectTimeout=2&socketTimeout=60&ApplicationName="
        + application;
  }

  void initialize(Path binaries) throws InterruptedException {
    ServerProcess.finish(
        folder.command(
            false,
            List.of(
                binaries.resolve("initdb").toString(),
                "-A",
                "trust",
                "-U",
                "postgres",
                "-E",
                "UTF-8",
                "-D",
                data())),
        log);
  }

  void start() throws InterruptedException {
    process.start(() -> DriverManager.getConnection(url("postgres", "operator")).close());
  }

  void end(String signal) throws InterruptedException {
    process.end(signal);
  }

  /** Copies files of a server that runs; some of them vanish meanwhile, as its backup allows. */
  void copyTo(PostgresInstance other) throws InterruptedException {
    ServerProcess.run(
            folder.command(true, List.of("cp", "-a", data(), other.data())), Map.of(), log)
        .waitFor();
    other.remove("postmaster.pid");
    other.remove("postmaster.opts");
  }

  private void remove(String file) throws InterruptedException {
    ServerProcess.finish(folder.command(true, List.of("rm", "-rf", data() + "/" + file)), log);
  }

  /** Deletes the data of a server that has ended. */
  void delete() throws InterruptedException {
    ServerProcess.finish(folder.command(true, List.of("rm", "-rf", data())), log);
  }
}

package outbox.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import outbox.chaos.clock.Clocks;
import outbox.chaos.clock.MovableClock;
import outbox.chaos.fault.FaultKind;
import outbox.chaos.ledger.Ledger;
import outbox.chaos.server.TriedMariaDb;
import outbox.chaos.server.TriedPostgres;
import outbox.chaos.server.TriedServer;
import outbox.jdbc.db.PostgresServer;

/** Plays the rounds on each database, prints the account, and fails if it does not balance. */
public final class Chaos {
  private static final Path MARIADB = Path.of("outbox-chaos", "target", "mariadb").toAbsolutePath();

  private Chaos() {}

  public static void main(String[] args) throws Exception {
    Options options;
    try {
      options = Options.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
      return;
    }
    if (options.help()) {
      System.out.printf(Options.HELP, FaultKind.labels());
      return;
    }
    System.exit(run(options) ? 0 : 1);
  }

  private static boolean run(Options options) throws Exception {
    Path folder = folder();
    System.out.println("seed " + options.seed() + "; logs of nodes and servers: " + folder);
    Clocks clocks = Clocks.prepare(folder);
    List<Totals> all = new ArrayList<>();
    PostgresServer ledger =
        PostgresServer.startOwn(Map.of("synchronous_commit", "off", "fsync", "off"));
    try {
      String url = ledger.url("postgres");
      new Ledger(url).create();
      for (String database : options.databases()) {
        Path logs = Files.createDirectories(folder.resolve(database));
        MovableClock clock = clocks.create(logs.resolve("database.clock"));
        try (TriedServer server = start(database, url, clock, logs)) {
          Runtime.getRuntime().addShutdownHook(new Thread(server::close));
          all.add(new Trial(options, server, url, logs, clocks).run());
        }
        if (!balances(all)) {
          break;
        }
      }
    } finally {
      ledger.stop();
    }
    String report = new Report(options, all).toMarkdown();
    System.out.println("\n" + report);
    if (options.output() != null) {
      Files.writeString(options.output(), report);
    }
    boolean balanced = balances(all);
    System.out.println(
        balanced
            ? "the account balances"
            : "the account does NOT balance; repeat with --seed " + options.seed());
    return balanced;
  }

  private static boolean balances(List<Totals> all) {
    return all.stream().allMatch(totals -> totals.violations.isEmpty());
  }

  private static TriedServer start(String database, String ledger, MovableClock clock, Path logs)
      throws Exception {
    return database.equals("mariadb")
        ? TriedMariaDb.start(MARIADB, clock, logs)
        : TriedPostgres.start(binaries(ledger), clock, logs);
  }

  /** Of the server that keeps the ledger, which has unpacked them. */
  private static Path binaries(String ledger) throws SQLException {
    try (Connection connection = DriverManager.getConnection(ledger);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT setting FROM pg_config WHERE name = 'BINDIR'")) {
      row.next();
      return Path.of(row.getString(1));
    }
  }

  private static Path folder() throws IOException {
    Path parent = Files.createDirectories(Path.of("target", "chaos").toAbsolutePath());
    return Files.createTempDirectory(parent, "run-");
  }
}

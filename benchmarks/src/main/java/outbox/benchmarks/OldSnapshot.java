package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * A long transaction elsewhere keeps every dead row from being vacuumed. Hot events need no claim;
 * events inserted behind the library's back are found by claims that must pass over the dead.
 */
final class OldSnapshot implements Scenario {
  private static final double LIMIT = 2;

  @Override
  public String name() {
    return "old-snapshot";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    Duration held = Duration.ofMillis(lab.mode().pick(60_000, 1_500, 500));
    Duration free = Duration.ofMillis(lab.mode().pick(15_000, 1_000, 500));
    Results.Table table =
        results.table(
            "An old snapshot held for " + held.toSeconds() + " s",
            "",
            "CPU µs per event without",
            "with",
            "with, last third");
    for (Load load : new Load[] {OldSnapshot::publish, Feeder::feed}) {
      boolean hot = table.rows().isEmpty();
      String name = hot ? "16 publishers, hot" : Feeder.RATE + " events/s, all claimed";
      Phases without = measure(lab, load, free);
      Phases with;
      try (Connection snapshot = hold(lab.server().dataSource())) {
        with = measure(lab, load, held);
        snapshot.rollback();
      }
      lab.say("%s: without %s with %s", name, without, with);
      table.row(
          name,
          text(without.whole.cpuPerEvent()),
          text(with.whole.cpuPerEvent()),
          text(with.lastThird.cpuPerEvent()));
      String gate = "CPU per event with an old snapshot / without, " + (hot ? "hot" : "claimed");
      results.gate(
          Gate.atMost(gate, with.whole.cpuPerEvent() / without.whole.cpuPerEvent(), LIMIT));
    }
  }

  /** The tables are made before: what the snapshot cannot see, it does not keep. */
  private static Phases measure(Lab lab, Load load, Duration duration) throws Exception {
    lab.server().execute("TRUNCATE outbox_event, orders");
    lab.server().execute("CHECKPOINT");
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new Library(pool, event -> {}, Completion.KEPT)) {
      long done = load.run(library, pool, duration.dividedBy(20));
      library.awaitCompleted(done);
      Meter whole = Meter.start(lab.server());
      long early = load.run(library, pool, duration.multipliedBy(2).dividedBy(3));
      library.awaitCompleted(done + early);
      Meter last = Meter.start(lab.server());
      long late = load.run(library, pool, duration.dividedBy(3));
      library.awaitCompleted(done + early + late);
      return new Phases(whole.stop(early + late), last.stop(late));
    }
  }

  private static long publish(Contestant library, DataSource pool, Duration duration)
      throws Exception {
    return new Publishers(library, Lab.PUBLISHERS, true).publishFor(duration);
  }

  private static Connection hold(DataSource dataSource) throws SQLException {
    Connection connection = dataSource.getConnection();
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1");
    }
    return connection;
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%.0f", value);
  }

  private record Phases(Usage whole, Usage lastThird) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "%.0f us (last third %.0f)", whole.cpuPerEvent(), lastThird.cpuPerEvent());
    }
  }

  @FunctionalInterface
  private interface Load {
    long run(Contestant library, DataSource pool, Duration duration) throws Exception;
  }
}

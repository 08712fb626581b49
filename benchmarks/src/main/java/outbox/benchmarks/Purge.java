package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import outbox.Retention;
import outbox.internal.retention.EventRetention;
import outbox.internal.retention.Housekeeper;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutboxRepository;

/**
 * Old completed rows are removed while 16 publishers run: how much of their rate they keep.
 * Measured before, during and after the purge, in slices of the same length.
 */
final class Purge implements Scenario {
  private static final double LIMIT = 0.8;

  /** Older than what is purged, younger than what the library purges by itself. */
  private static final Retention RETENTION = Retention.keepForever().completed(Duration.ofDays(2));

  private static final String AGE =
      "UPDATE outbox_event SET done_at = statement_timestamp() - interval '3 days'";
  private static final String LEFT =
      "SELECT EXISTS (SELECT 1 FROM outbox_event WHERE event_id >= 'done-' AND event_id < 'done.')";

  @Override
  public String name() {
    return "purge";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    int rows = lab.mode().pick(1_000_000, 60_000, 2_000);
    Duration slice = Duration.ofMillis(lab.mode().pick(2_000, 500, 200));
    int slices = lab.mode().pick(6, 3, 1);
    Tables tables = new Tables(lab.server());
    tables.recreate();
    tables.loadDone(rows);
    lab.server().execute(AGE);
    tables.vacuum();
    tables.checkpoint();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new Library(pool, event -> {}, Completion.KEPT)) {
      Publishers publishers = new Publishers(library, Lab.PUBLISHERS, true);
      publishers.publishFor(slice);
      Rate before = Rate.NONE.and(publishers, slice, slices);
      Rate during = Rate.NONE;
      try (Housekeeper housekeeper = new Housekeeper(RETENTION.interval(slice))) {
        housekeeper.add(
            new EventRetention(
                "outbox_event",
                new DataSourceConnectionProvider(pool),
                new JdbcOutboxRepository(),
                RETENTION));
        while (isLeft(pool)) {
          during = during.and(publishers, slice, 1);
        }
      }
      Rate after = Rate.NONE.and(publishers, slice, slices);
      report(results, rows, before, during, after);
    }
  }

  private static void report(Results results, int rows, Rate before, Rate during, Rate after) {
    double without = (before.perSecond() + after.perSecond()) / 2;
    double purged = rows / during.seconds();
    Results.Table table =
        results.table(
            String.format(Locale.ROOT, "Purging %,d completed rows, 16 publishers", rows),
            "",
            "events/s");
    table.row("before", text(before.perSecond()));
    table.row("during, " + text(purged) + " rows/s purged", text(during.perSecond()));
    table.row("after", text(after.perSecond()));
    results.gate(
        Gate.atLeast("publishing while purging / without", during.perSecond() / without, LIMIT));
  }

  private static boolean isLeft(HikariDataSource pool) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(LEFT)) {
      return row.next() && row.getBoolean(1);
    }
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  private record Rate(long events, double seconds) {
    static final Rate NONE = new Rate(0, 0);

    Rate and(Publishers publishers, Duration slice, int slices) throws Exception {
      long start = System.nanoTime();
      long published = 0;
      for (int i = 0; i < slices; i++) {
        published += publishers.publishFor(slice);
      }
      return new Rate(events + published, seconds + (System.nanoTime() - start) / 1e9);
    }

    double perSecond() {
      return events / Math.max(seconds, 1e-9);
    }
  }
}

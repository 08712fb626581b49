package outbox.admin.data;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.BoundedQueries.Session;
import outbox.jdbc.Row;
import outbox.metrics.Activity;
import outbox.metrics.QueueFacts;
import outbox.metrics.QueueFacts.Tally;

/** Looks at the state of one table: a bounded number of rows, and what the database estimates. */
final class Snapshots {
  /** How many rows of a kind (due, due later, dead, completed) are counted: {@value}. */
  static final int LIMIT = 4_000;

  /** From so many failed deliveries on a pending message is an old failure: {@value}. */
  static final int OLD_FAILURE = 3;

  private final Session session;
  private final Duration window;

  Snapshots(Session session, Duration window) {
    this.session = session;
    this.window = window;
  }

  Look look() {
    Estimate estimate = session.query("estimate", values -> {}, Estimate::read).get(0);
    List<Counted> counted =
        session.query(
            "tallies",
            values ->
                values
                    .number("limit", LIMIT)
                    .number("old_failure", OLD_FAILURE)
                    .duration("window", window),
            Counted::read);
    boolean partial = sum(counted, Counted::due) >= LIMIT || sum(counted, Counted::later) >= LIMIT;
    boolean deadPartial = sum(counted, each -> each.tally.dead()) >= LIMIT;
    List<Tally> tallies = new ArrayList<>();
    counted.forEach(each -> tallies.add(each.tally));
    QueueFacts facts =
        new QueueFacts(
            estimate.now,
            tallies,
            partial ? estimate.pending : 0,
            partial,
            deadPartial ? estimate.dead : 0,
            deadPartial);
    long retried = sum(counted, each -> each.tally.failedPending());
    return new Look(facts, activity(estimate.now, retried, sum(counted, Counted::died)));
  }

  /**
   * More were completed than are counted: then their rate is that of those that are. No row tells
   * when a pending message failed; where nothing else ended lately, it was long ago.
   */
  private Activity activity(Instant now, long retried, long died) {
    Completed completed =
        session
            .query(
                "completed",
                values -> values.number("limit", LIMIT).duration("window", window),
                row -> new Completed(row.integer("completed"), row.instant("since")))
            .get(0);
    long processed = completed.number;
    Instant since = completed.since;
    if (processed >= LIMIT && since != null) {
      long covered = Math.max(1, Duration.between(since, now).toMillis());
      processed = processed * window.toMillis() / covered;
    }
    return new Activity(window, processed, processed + died == 0 ? 0 : retried + died);
  }

  private static long sum(List<Counted> all, ToLongFunction<Counted> value) {
    return all.stream().mapToLong(value).sum();
  }

  /** What was found, and what was delivered lately as far as rows tell. */
  record Look(QueueFacts facts, Activity activity) {}

  private record Completed(int number, @Nullable Instant since) {}

  private record Estimate(Instant now, long pending, long dead) {
    static Estimate read(Row row) throws SQLException {
      return new Estimate(
          row.requiredInstant("now"), known(row.number("pending")), known(row.number("dead")));
    }

    private static long known(@Nullable Long rows) {
      return rows == null ? 0 : Math.max(0, rows);
    }
  }

  private record Counted(Tally tally, long due, long later, long died) {
    static Counted read(Row row) throws SQLException {
      long due = row.integer("due");
      long later = row.integer("later");
      long leased = row.integer("leased");
      String topic = row.text("topic");
      Tally tally =
          new Tally(
              topic == null ? "" : topic,
              row.text("tenant"),
              due + later,
              row.integer("failed_pending"),
              row.integer("old_failures"),
              leased,
              later - leased,
              row.integer("dead"),
              row.instant("oldest"));
      return new Counted(tally, due, later, row.integer("died"));
    }
  }
}

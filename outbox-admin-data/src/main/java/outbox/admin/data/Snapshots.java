package outbox.admin.data;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import outbox.admin.metrics.Count;
import outbox.admin.metrics.HealthThresholds;
import outbox.admin.metrics.QueueFacts;
import outbox.admin.metrics.QueueFacts.Pending;
import outbox.admin.metrics.QueueFacts.Tally;
import outbox.jdbc.internal.query.BoundedQueries.Session;
import outbox.jdbc.internal.query.Row;
import outbox.metrics.Activity;

/**
 * Looks at the state of one table: a bounded number of rows, what the database estimates, and a
 * count that goes as far as a limit of health needs it.
 */
final class Snapshots {
  /** How many rows of a kind (due, due later, dead, completed) are read for figures: {@value}. */
  static final int LIMIT = 4_000;

  private final Session session;
  private final OperatedDatabase.Builder setup;
  private final HealthThresholds limits;
  private final String internal;
  private final boolean mayHaveWaits;

  /**
   * @param internal the topic of the messages that the library sends to itself; empty if the table
   *     has none
   * @param mayHaveWaits whether there may be such messages that no tally has seen
   */
  Snapshots(
      Session session,
      OperatedDatabase.Builder setup,
      HealthThresholds limits,
      String internal,
      boolean mayHaveWaits) {
    this.session = session;
    this.setup = setup;
    this.limits = limits;
    this.internal = internal;
    this.mayHaveWaits = mayHaveWaits;
  }

  Look look() {
    Estimate estimate = session.query("estimate", values -> {}, Estimate::read).get(0);
    List<Counted> read =
        session.query(
            "tallies",
            values ->
                values
                    .number("limit", LIMIT)
                    .number("old_failure", setup.oldFailures)
                    .duration("window", setup.window),
            Counted::read);
    List<Tally> tallies =
        read.stream()
            .map(each -> each.tally)
            .map(tally -> tally.topic().equals(internal) ? onlyDead(tally) : tally)
            .filter(tally -> tally.backlog() + tally.scheduled() + tally.dead() > 0)
            .toList();
    QueueFacts facts =
        new QueueFacts(
            estimate.now,
            tallies,
            pending(read, tallies, estimate),
            dead(sum(tallies, Tally::dead), estimate));
    long retried = sum(tallies, Tally::failedPending);
    return new Look(facts, activity(estimate.now, retried, sum(read, Counted::died)));
  }

  /** A wait that died is a dead letter like any other: the continuation of its join is missing. */
  private static Tally onlyDead(Tally tally) {
    return new Tally(tally.topic(), tally.tenant(), 0, 0, 0, 0, 0, tally.dead(), null);
  }

  /** Null if the tallies have all. An estimate counts every live row, also internal ones. */
  private @Nullable Pending pending(List<Counted> read, List<Tally> tallies, Estimate estimate) {
    boolean laterPartial = sum(read, Counted::later) >= LIMIT;
    if (sum(read, Counted::due) < LIMIT && !laterPartial) {
      return null;
    }
    long scheduled = sum(tallies, Tally::scheduled);
    boolean onlyUsers = read.stream().noneMatch(each -> each.tally.topic().equals(internal));
    long estimated = onlyUsers ? estimate.pending : 0;
    BacklogCount counted =
        onlyUsers && !mayHaveWaits && !laterPartial
            ? byIndex(tallies)
            : BacklogCount.of(session, internal, enough(limits.backlog()), setup.timeLimit);
    long backlog = counted.due() + counted.leased();
    return new Pending(
        counted.partial() && !laterPartial
            ? new Count(Math.max(backlog, estimated - scheduled), true)
            : new Count(backlog, counted.partial()),
        new Count(counted.leased(), counted.partial()),
        laterPartial && !counted.partial()
            ? new Count(Math.max(scheduled, estimated - backlog), true)
            : new Count(scheduled, laterPartial),
        counted.oldest());
  }

  /** The tallies have all that are leased, and the oldest of those that are due longest. */
  private BacklogCount byIndex(List<Tally> tallies) {
    long enough = enough(limits.backlog());
    long due =
        session
            .query("due_count", values -> values.number("limit", enough), row -> row.integer("due"))
            .get(0);
    Instant oldest =
        tallies.stream()
            .map(Tally::oldest)
            .filter(Objects::nonNull)
            .min(Comparator.naturalOrder())
            .orElse(null);
    return new BacklogCount(due, sum(tallies, Tally::leased), oldest, due >= enough);
  }

  private @Nullable Count dead(long read, Estimate estimate) {
    if (read < LIMIT) {
      return null;
    }
    long enough = enough(limits.dead());
    long counted =
        enough == LIMIT
            ? read
            : session
                .query(
                    "dead_count",
                    values -> values.number("limit", enough),
                    row -> row.integer("dead"))
                .get(0);
    return counted < enough
        ? Count.exactly(counted)
        : new Count(Math.max(counted, estimate.dead), true);
  }

  /** So many decide about each limit that can be reached. */
  private static long enough(HealthThresholds.Limit<Long> limit) {
    long highest = limit.unhealthy() == Long.MAX_VALUE ? limit.degraded() : limit.unhealthy();
    return highest == Long.MAX_VALUE ? LIMIT : Math.max(LIMIT, highest + 1);
  }

  /**
   * More were completed than are counted: then their rate is that of those that are. No row tells
   * when a pending message failed; where nothing else ended lately, it was long ago.
   */
  private Activity activity(Instant now, long retried, long died) {
    Duration window = setup.window;
    Completed completed =
        session
            .query(
                "completed",
                values ->
                    values
                        .number("limit", LIMIT)
                        .duration("window", window)
                        .text("internal", internal),
                row ->
                    new Completed(
                        row.integer("looked_at"), row.integer("completed"), row.instant("since")))
            .get(0);
    long processed = completed.number;
    Instant since = completed.since;
    if (completed.read >= LIMIT && since != null) {
      long covered = Math.max(1, Duration.between(since, now).toMillis());
      processed = processed * window.toMillis() / covered;
    }
    return new Activity(window, processed, processed + died == 0 ? 0 : retried + died);
  }

  private static <T> long sum(List<T> all, ToLongFunction<T> value) {
    return all.stream().mapToLong(value).sum();
  }

  /** What was found, and what was delivered lately as far as rows tell. */
  record Look(QueueFacts facts, Activity activity) {}

  private record Completed(int read, int number, @Nullable Instant since) {}

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
              due + leased,
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

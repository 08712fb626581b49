package outbox.admin.data;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.query.BoundedQueries.Session;
import outbox.jdbc.internal.query.Row;

/**
 * How many messages are due, counted as far as needed: stretch by stretch in the order of their
 * turn, so that each statement is short whatever the table has grown to. A message that is leased
 * is due too; leases end soon, so those come before what is scheduled.
 *
 * @param due due and not leased
 * @param leased held by a handler
 * @param oldest since when the oldest of them waits; null if none does
 * @param partial there may be more
 */
record BacklogCount(long due, long leased, @Nullable Instant oldest, boolean partial) {
  /** How many rows one statement reads: {@value}. */
  static final int STRETCH = 20_000;

  private static final int SHARE_OF_TIME_LIMIT = 2;

  /**
   * Counts until so many are found, no more are due, or half of the time limit is over.
   *
   * @param internal the topic of messages that are not counted
   */
  static BacklogCount of(Session session, String internal, long enough, Duration timeLimit) {
    long start = System.nanoTime();
    long most = timeLimit.dividedBy(SHARE_OF_TIME_LIMIT).toNanos();
    BacklogCount all = new BacklogCount(0, 0, null, true);
    Place place = Place.START;
    while (place != null) {
      Stretch stretch = stretch(session, internal, place);
      all = all.and(stretch);
      if (stretch.isLast()) {
        return new BacklogCount(all.due, all.leased, all.oldest, false);
      }
      if (all.due + all.leased >= enough || System.nanoTime() - start > most) {
        return all;
      }
      place = behind(session, place);
    }
    return new BacklogCount(all.due, all.leased, all.oldest, false);
  }

  private BacklogCount and(Stretch stretch) {
    return new BacklogCount(
        due + stretch.due, leased + stretch.leased, earlier(oldest, stretch.oldest), partial);
  }

  private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
    return one == null || (other != null && other.isBefore(one)) ? other : one;
  }

  private static Stretch stretch(Session session, String internal, Place from) {
    return session
        .query(
            "stretch",
            values ->
                values
                    .instant("after_at", from.at())
                    .text("after_id", from.isStart() ? null : from.id())
                    .text("internal", internal)
                    .number("limit", STRETCH),
            Stretch::read)
        .get(0);
  }

  /** The last row of the stretch, internal messages included. */
  private static @Nullable Place behind(Session session, Place from) {
    return session
        .query(
            "stretch_end",
            values ->
                values
                    .instant("after_at", from.at())
                    .text("after_id", from.isStart() ? null : from.id())
                    .number("skip", STRETCH - 1),
            row -> new Place(0, row.requiredInstant("place_at"), row.required("event_id")))
        .stream()
        .findFirst()
        .orElse(null);
  }

  /**
   * Some of the rows.
   *
   * @param busy how many are due or leased, internal messages included
   */
  private record Stretch(long due, long leased, @Nullable Instant oldest, int busy, int read) {
    static Stretch read(Row row) throws SQLException {
      return new Stretch(
          row.integer("due"),
          row.integer("leased"),
          row.instant("oldest"),
          row.integer("busy"),
          row.integer("looked_at"));
    }

    boolean isLast() {
      return read < STRETCH || busy == 0;
    }
  }
}

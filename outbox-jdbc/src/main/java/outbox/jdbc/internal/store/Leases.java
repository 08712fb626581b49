package outbox.jdbc.internal.store;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.sql.Parameters;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;

/** How leases are taken and given back: in one statement, or by locking the rows first. */
public interface Leases {

  /**
   * Takes due rows.
   *
   * @param expire ends the rows of this list, in the same transaction
   */
  Claimed claim(Connection conn, ClaimRequest request, Consumer<List<String>> expire);

  List<ClaimedEvent> claimById(
      Connection conn,
      String owner,
      Duration lease,
      Collection<String> ids,
      Consumer<List<String>> expire);

  /** Runs a fenced transition that treats all rows alike; returns the ids that it changed. */
  Set<String> move(
      Connection conn,
      String transition,
      String owner,
      Collection<String> ids,
      Consumer<Parameters> more);

  /** Deletes what is done, but for those with a key of their producer, which stay as DONE. */
  Set<String> deleteDone(Connection conn, String owner, Collection<String> ids);

  /** Runs a fenced transition with a delay and an error for each row. */
  Set<String> moveEach(
      Connection conn, String transition, String owner, Collection<Failure> failures);

  /** What the statement of a deferral needs beside the rows. */
  static void deferring(Parameters more, Duration delay, @Nullable String listeners) {
    more.duration("delay", delay).text("listeners", listeners);
  }

  /** The outcome of one attempt, for a statement that treats each row by itself. */
  static Parameters failing(Parameters more, Failure failure) {
    return more.text("id", failure.eventId())
        .duration("delay", failure.delay())
        .text("error", failure.error())
        .text("listeners", failure.listeners());
  }

  /** Expired leases are looked for among the oldest rows only, however long the backlog is. */
  static Parameters reaping(Parameters more, Duration grace, int limit, int window) {
    return more.duration("grace", grace).number("limit", limit).number("window", window);
  }

  /** Clears leases that expired before {@code grace} ago; returns how many. */
  int reap(Connection conn, Duration grace, int limit, int window);
}

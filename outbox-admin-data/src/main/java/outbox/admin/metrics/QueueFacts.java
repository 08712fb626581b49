package outbox.admin.metrics;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one look into a queue's table found. Messages that the library sends to itself, such as the
 * waits of joins, are not part of it unless they are dead.
 *
 * @param at the database's time of the look
 * @param tallies one for each topic and tenant that has anything to tell
 * @param pending what is known of all pending messages if the tallies cover only those available
 *     longest; null if the tallies cover all of them
 * @param dead how many dead messages there are if the tallies cover only those stored last; null if
 *     the tallies cover all of them
 */
public record QueueFacts(
    Instant at, List<Tally> tallies, @Nullable Pending pending, @Nullable Count dead) {

  public QueueFacts {
    requireNonNull(at, "at");
    tallies = List.copyOf(tallies);
  }

  /** Facts whose tallies cover every pending and every dead message. */
  public static QueueFacts complete(Instant at, List<Tally> tallies) {
    return new QueueFacts(at, tallies, null, null);
  }

  /**
   * All pending messages, counted further than the tallies.
   *
   * @param backlog due now
   * @param leased those of them that a handler works on
   * @param scheduled not due yet
   * @param oldest as {@link Tally#oldest}
   */
  public record Pending(Count backlog, Count leased, Count scheduled, @Nullable Instant oldest) {}

  /**
   * The messages of one topic and tenant.
   *
   * @param tenant null if they have none
   * @param backlog pending (NEW or RETRY) and due now, including those that a handler works on
   * @param failedPending pending, due or not, whose deliveries failed before
   * @param oldFailures pending, due or not, that failed as often as the threshold says, or more
   * @param leased those of the backlog that a handler works on
   * @param scheduled pending and not due yet: the due time, or the next try, is to come
   * @param dead ended without success
   * @param oldest since when the oldest pending one waits: when it was stored, or due if that was
   *     later; null if none waits
   */
  public record Tally(
      String topic,
      @Nullable String tenant,
      long backlog,
      long failedPending,
      long oldFailures,
      long leased,
      long scheduled,
      long dead,
      @Nullable Instant oldest) {}
}

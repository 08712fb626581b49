package outbox.metrics;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one look into a queue's table found.
 *
 * @param at the database's time of the look
 * @param tallies one for each topic and tenant that has anything to tell
 * @param backlogEstimate how many messages are pending if {@code partial} and the database has an
 *     idea of it, else 0
 * @param partial pending messages were counted up to a limit only, those available longest first
 * @param deadEstimate the same as {@code backlogEstimate} for dead ones
 * @param deadPartial dead ones were counted up to a limit only
 */
public record QueueFacts(
    Instant at,
    List<Tally> tallies,
    long backlogEstimate,
    boolean partial,
    long deadEstimate,
    boolean deadPartial) {

  public QueueFacts {
    requireNonNull(at, "at");
    tallies = List.copyOf(tallies);
  }

  /**
   * The messages of one topic and tenant.
   *
   * @param tenant null if they have none
   * @param backlog pending: NEW or RETRY
   * @param failedPending pending, and delivered in vain before
   * @param oldFailures pending, and delivered in vain more often than is healthy
   * @param leased pending, and being worked on
   * @param scheduled pending, and not due yet
   * @param dead ended without success
   * @param oldest since when the eldest pending one waits: when it was stored, or due if that was
   *     later; null if none is pending and due
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

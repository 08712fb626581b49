package outbox.jdbc.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;

/**
 * Joins and their messages: every operation, and a clock that stands still. Joins have names; what
 * is stored is told as text, by {@code join J}, {@code step J M} and {@code message M}.
 */
interface JoinBook extends Machine<String> {
  Instant START = Instant.parse("2030-01-01T00:00:00Z");

  /** What an operation answers that the product refuses by an IllegalStateException. */
  String REFUSED = "refused";

  /** The first answer of an operation that has none. */
  String DONE = "done";

  Instant tick(Duration by);

  /** Stores messages that are due at once. */
  Object enqueue(Collection<String> messages);

  /** Leases messages for ever, due or not; returns those that were free. */
  Object claim(Collection<String> messages);

  /** Completes the messages that are leased; returns these. */
  Object ack(Collection<String> messages);

  /** Ends the messages that are leased as dead; returns these. */
  Object fail(Collection<String> messages);

  /**
   * Starts a join.
   *
   * @param deadlineSeconds 0 for none
   */
  Object start(String join, int expectedSteps, int deadlineSeconds);

  Object attach(String join, Collection<String> messages, boolean rolledBack);

  Object report(String join, String message, boolean completed, boolean rolledBack);

  /** Stores a message that waits for the join, parked for long. */
  Object await(String join, String message);

  Object cancel(String join, boolean rolledBack);

  /** Fails the joins whose deadline has passed; returns how many. */
  Object failOverdue();

  /** Deletes what ended so long ago and is not waited for; returns how many. */
  Object purge(Duration retention);
}

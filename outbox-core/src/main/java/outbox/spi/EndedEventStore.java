package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;

/**
 * What becomes of events after their end: dead ones are listed, replayed and discarded, and all are
 * removed in small batches once they are old.
 *
 * <p>Every change touches rows of the status that it is for and no others, and skips rows that
 * another transaction has locked. Transactions and errors are those of {@link LeasedEventStore}.
 */
public interface EndedEventStore {

  /** The store's now, by which ends are dated. */
  Instant now(Connection conn);

  /**
   * Dead events without their payloads, those stored last first.
   *
   * @param after begins behind this one; null for the first page
   */
  List<DeadLetter> deadLetters(
      Connection conn, DeadLetterFilter filter, @Nullable Position after, int limit);

  /** One dead event with its payload; empty if it is not dead. */
  Optional<DeadLetter> deadLetter(Connection conn, String eventId);

  /** Counts dead events among the {@code window} that were stored last. */
  DeadCount countDead(Connection conn, DeadLetterFilter filter, int window);

  /**
   * Makes dead events NEW, with no attempt and no expired lease counted and due now unless it is
   * later; an expiry that has passed no longer holds. The error stays, until the event is done.
   *
   * @param by who, for the trace that is kept
   * @param failedOnly keeps which listeners are done, so that only the others run; else all run
   * @param diedBefore leaves those alone that died later, by {@link #now}; null for none
   * @return the ids that it changed
   */
  Set<String> replay(
      Connection conn,
      Collection<String> eventIds,
      String by,
      boolean failedOnly,
      @Nullable Instant diedBefore);

  /**
   * Makes dead events DONE without having been handled: the error says by whom and why. No hook is
   * told, since they had ended before.
   *
   * @param error what takes the place of the error
   * @param diedBefore leaves those alone that died later, by {@link #now}; null for none
   * @return the ids that it changed
   */
  Set<String> discard(
      Connection conn,
      Collection<String> eventIds,
      String by,
      String error,
      @Nullable Instant diedBefore);

  /** How many events are due and not leased, counted up to {@code most}. */
  int backlog(Connection conn, int most);

  /** Drops the payloads of up to {@code limit} events that have been DONE for longer than this. */
  int purgePayloads(Connection conn, Duration doneFor, int limit);

  /**
   * Removes up to {@code limit} events, with their keys, that have been DONE for longer than this;
   * of an inbox, those that have not been delivered again for as long either.
   */
  int purgeDone(Connection conn, Duration doneFor, int limit);

  /** Removes up to {@code limit} events that have been DEAD for longer than this. */
  int purgeDead(Connection conn, Duration deadFor, int limit);
}

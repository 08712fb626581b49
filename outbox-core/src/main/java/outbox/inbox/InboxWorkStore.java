package outbox.inbox;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.model.OwnerToken;

/**
 * The messages of an inbox as a work queue, for workers that claim by themselves instead of
 * registering {@link InboxHandler}s. Thread-safe.
 *
 * <p><b>Fence.</b> {@code ack}, {@code abandon} and {@code fail} take the messages that {@code
 * claim} handed out. They change exactly those that are still leased to the given owner and whose
 * content was not replaced since, be it that the same owner has claimed the new content too, and
 * return their keys; all others are left alone without an error. Messages that are given twice
 * count once, and none at all does nothing.
 */
public interface InboxWorkStore {

  /**
   * Leases messages that are PROCESSING and due to the owner, those available longest first.
   *
   * @param lease from the moment of the statement; 10 to 300 seconds serve most
   * @param batchSize at most this many; 1 to 100 serve most
   * @return empty if none is due
   */
  List<InboxMessage> claim(OwnerToken owner, Duration lease, int batchSize);

  /** Makes messages DONE. */
  Set<InboxKey> ack(OwnerToken owner, Collection<InboxMessage> messages);

  /** Gives messages back after a failure, to be claimed again after a growing delay. */
  default Set<InboxKey> abandon(OwnerToken owner, Collection<InboxMessage> messages) {
    return abandon(owner, messages, null, null);
  }

  /**
   * Gives messages back after a failure; counts an attempt.
   *
   * @param lastError why, to be read by an operator; null or empty if unknown
   * @param delay until they can be claimed again, more than zero; null for 2, 4, 8 … up to 60
   *     seconds
   */
  Set<InboxKey> abandon(
      OwnerToken owner,
      Collection<InboxMessage> messages,
      @Nullable String lastError,
      @Nullable Duration delay);

  /** Makes messages DEAD. */
  Set<InboxKey> fail(OwnerToken owner, Collection<InboxMessage> messages, String error);

  /**
   * Takes the owner off messages whose lease has expired. Housekeeping: they can be claimed anyway.
   * Stops between two batches when the thread is interrupted.
   *
   * @return how many
   */
  int reapExpired();

  /** The message as it stands, if the key is known. */
  Optional<InboxMessage> get(InboxKey key);
}

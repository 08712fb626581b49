package outbox;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;
import outbox.model.MessageId;

/**
 * The messages of an outbox, or of an inbox, that ended DEAD: to look at, to replay, to discard.
 * Thread-safe; each call, and each batch of a bulk change, is a transaction of its own.
 *
 * <p><b>Fence.</b> Only dead messages are changed. Whatever became live or done meanwhile is left
 * alone, and the ids that are returned are those that really changed.
 */
public interface DeadLetters {

  /** The first page: messages stored last come first, without their payloads. */
  default List<DeadLetter> list(DeadLetterFilter filter, int limit) {
    return list(filter, null, limit);
  }

  /**
   * A page.
   *
   * @param after the {@link DeadLetter#position} of the last letter of the page before; null for
   *     the first
   */
  List<DeadLetter> list(DeadLetterFilter filter, @Nullable Position after, int limit);

  /**
   * How many there are; looks at the 100,000 that were stored last, and says if that was not all.
   */
  DeadCount count(DeadLetterFilter filter);

  /** One letter with its payload; empty if there is no such message or it is not dead. */
  Optional<DeadLetter> find(MessageId id);

  /** Replays one letter; returns whether it was dead. */
  default boolean replay(MessageId id, String by) {
    return !replay(List.of(id), by).isEmpty();
  }

  /**
   * Gives dead messages all their attempts back; they are handled as if they were new. A step of a
   * join that counted as failed stays so.
   *
   * @param by who, for the trace that is kept
   * @return those that were dead
   */
  default Set<MessageId> replay(Collection<MessageId> ids, String by) {
    return replay(ids, by, false);
  }

  /**
   * As {@link #replay(Collection, String)}, by option without the listeners that are done.
   *
   * @param failedOnly whether only the listeners run that are not done yet; else all of them
   */
  Set<MessageId> replay(Collection<MessageId> ids, String by, boolean failedOnly);

  /**
   * Replays all that the filter means and that were dead when it began: whatever dies again
   * meanwhile is not replayed again. Ends early, between two batches, if the thread is interrupted
   * or the progress says so.
   *
   * @return how many
   */
  long replay(DeadLetterFilter filter, Bulk bulk);

  /**
   * Puts dead messages aside for good: they become DONE without having been handled, and their
   * error says by whom and why. They are removed as completed ones are.
   *
   * @return those that were dead
   */
  Set<MessageId> discard(Collection<MessageId> ids, String by, String reason);

  /** Discards all that the filter means and that were dead when it began; returns how many. */
  long discard(DeadLetterFilter filter, String reason, Bulk bulk);
}

package outbox.inbox;

import java.time.Duration;
import java.util.List;
import outbox.HandlerContext;

/**
 * The messages that an {@link InboxBatchHandler} gets at once, and what becomes of each; see {@link
 * outbox.EventBatch}, whose rules it follows. Thread-safe.
 */
public interface InboxBatch extends HandlerContext {

  /** At least one message, in the order in which they came or became due. */
  List<InboxMessage> messages();

  /**
   * Records that a message is done, also if the handler throws afterwards.
   *
   * @throws IllegalArgumentException if the message is not of this batch
   */
  void done(InboxMessage message);

  /**
   * Records that a message failed: it comes again by the retry rules of its topic, or is dead.
   *
   * @param cause judged as if a handler of this message alone had thrown it
   * @throws IllegalArgumentException if the message is not of this batch
   */
  void failed(InboxMessage message, Throwable cause);

  /**
   * Records that a message comes again after the delay, without counting an attempt.
   *
   * @param delay not negative; cut to a year
   * @throws IllegalArgumentException if the message is not of this batch
   */
  void defer(InboxMessage message, Duration delay);
}

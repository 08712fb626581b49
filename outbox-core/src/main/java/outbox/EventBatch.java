package outbox;

import java.time.Duration;
import java.util.List;

/**
 * The events that a {@link BatchListener} gets at once, and what becomes of each. The context is
 * that of the whole batch: it is cancelled when the process shuts down, when the longest handling
 * time is over, or when all of its leases are lost; its lease is the one that ends first.
 *
 * <p>Thread-safe, so that callbacks of a client may record outcomes. They count until the listener
 * ends: a listener waits for its callbacks before it returns. If several outcomes are recorded for
 * an event, the last one counts.
 */
public interface EventBatch extends HandlerContext {

  /** At least one event, in the order in which they were published or became due. */
  List<EventEnvelope> events();

  /**
   * Records that an event is done, also if the listener throws afterwards.
   *
   * @throws IllegalArgumentException if the event is not of this batch
   */
  void done(EventEnvelope event);

  /**
   * Records that an event failed: it comes again by the retry rules of its topic, or is dead.
   *
   * @param cause judged as if a listener of this event alone had thrown it
   * @throws IllegalArgumentException if the event is not of this batch
   */
  void failed(EventEnvelope event, Throwable cause);

  /**
   * Records that an event comes again after the delay, without counting an attempt.
   *
   * @param delay not negative; cut to a year
   * @throws IllegalArgumentException if the event is not of this batch
   */
  void defer(EventEnvelope event, Duration delay);
}

package outbox.spi;

import java.time.Duration;

/**
 * One delivery of an event to its listeners, after they have ended.
 *
 * @param attempt 1 for the first delivery, one more for each that failed before
 * @param waited from the moment in which the event was created, or due, to the start of its
 *     listeners
 * @param handled how long they ran
 */
public record DeliveryRecord(
    String topic, Outcome outcome, int attempt, Duration waited, Duration handled) {

  /** What the listeners made of it. */
  public enum Outcome {
    /** Handled. */
    DONE,
    /** Failed, to be tried again. */
    RETRY,
    /** To be delivered later; counts no failure. */
    DEFERRED,
    /** Ended for good. */
    DEAD,
    /** Another node has got the event meanwhile. */
    LOST
  }
}

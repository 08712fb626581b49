package outbox;

/**
 * Reacts to events: publishes to a broker, updates a cache, calls a service, or works locally.
 *
 * <p>Delivery is at least once. A listener must therefore bear the same event twice; {@link
 * EventEnvelope#eventId()} is the key to recognise it by, and a listener that publishes to a broker
 * passes it on. Calls come from many worker threads at once.
 */
@FunctionalInterface
public interface EventListener {

  /**
   * Handles one event. Returning means done: this listener is not called again for the event
   * because another one fails. Any throwable means that the event comes again to this listener
   * later or, after the last attempt, is dead. {@link PermanentFailureException}, {@link
   * DeferException} and {@link RetryAfterException} say otherwise.
   */
  void onEvent(EventEnvelope event) throws Exception;
}

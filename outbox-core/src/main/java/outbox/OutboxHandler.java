package outbox;

import static java.util.Objects.requireNonNull;

import outbox.internal.text.EnvelopeRules;

/**
 * Processes the messages of one topic. It is an {@link EventListener} that sees the message as the
 * work queue does and is told when to stop.
 *
 * <p>Returning means done. {@link PermanentFailureException} means dead, as soon as the other
 * listeners of the topic are done, {@link DeferException} means later without counting, {@link
 * RetryAfterException} a failure that says when to come again, and anything else is tried again by
 * the topic's {@link outbox.dispatch.Retries} or, after the last attempt, dead. Of the three, only
 * the exception itself decides, not its causes. Delivery is at least once, so a handler must bear
 * the same message twice; different messages are handled at the same time.
 */
public interface OutboxHandler extends EventListener {

  /** The topic whose messages this handles; constant, never blank and never the wildcard. */
  String topic();

  void handle(OutboxMessage message, HandlerContext context) throws Exception;

  /**
   * Whether the messages of its topic are the library's own, such as the waits of joins: no metric
   * counts them as deliveries.
   */
  default boolean isInternal() {
    return false;
  }

  /**
   * What names a message in the log lines about this handler: its id, unless it has a better one.
   */
  default String nameOf(OutboxMessage message) {
    return "id=" + message.id();
  }

  /** Refused: a handler needs its context, which only the dispatcher has. */
  @Override
  default void onEvent(EventEnvelope event) {
    throw new IllegalStateException("an OutboxHandler is called by the dispatcher, with a context");
  }

  /**
   * A handler that is written as a lambda.
   *
   * @throws IllegalArgumentException if the topic is blank or the wildcard
   */
  static OutboxHandler of(String topic, Body body) {
    EnvelopeRules.handled(topic);
    requireNonNull(body, "body");
    return new OutboxHandler() {
      @Override
      public String topic() {
        return topic;
      }

      @Override
      public void handle(OutboxMessage message, HandlerContext context) throws Exception {
        body.handle(message, context);
      }
    };
  }

  /** What a handler does, without its topic. */
  @FunctionalInterface
  interface Body {
    void handle(OutboxMessage message, HandlerContext context) throws Exception;
  }
}

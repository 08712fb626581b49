package outbox;

import static java.util.Objects.requireNonNull;

import outbox.internal.text.EnvelopeRules;

/**
 * Processes the messages of one topic. Unlike an {@link EventListener} it gets the message as the
 * work queue has it, and a context that tells when to stop.
 *
 * <p>Returning means done. {@link PermanentFailureException} means dead, as soon as the other
 * listeners of the topic are done, {@link DeferException} means later without counting, {@link
 * RetryAfterException} a failure that says when to come again, and anything else is tried again by
 * the topic's {@link outbox.dispatch.Retries} or, after the last attempt, dead. Of the three, only
 * the exception itself decides, not its causes. Delivery is at least once, so a handler must bear
 * the same message twice; different messages are handled at the same time.
 */
public interface OutboxHandler {

  /** The topic whose messages this handles; constant, never blank and never the wildcard. */
  String topic();

  /** Handles a message; returns when it is done. */
  void handle(OutboxMessage message, HandlerContext context) throws Exception;

  /**
   * Creates a handler of a topic from a lambda.
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
    /** Handles a message; returns when it is done. */
    void handle(OutboxMessage message, HandlerContext context) throws Exception;
  }
}

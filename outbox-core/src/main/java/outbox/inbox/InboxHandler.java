package outbox.inbox;

import static java.util.Objects.requireNonNull;

import outbox.HandlerContext;

/**
 * Processes the messages of one topic.
 *
 * <p>Returning means done. {@link outbox.PermanentFailureException} means dead at once, {@link
 * outbox.DeferException} means later without counting, {@link outbox.RetryAfterException} a failure
 * that says when to come again, and anything else is tried again later or, after the last attempt,
 * dead. A handler is called at least once for each key, and not again once the message is DONE: one
 * that was interrupted by a crash is called again, so it must bear the same message twice. {@link
 * TransactionalInboxHandler} need not. Different messages are handled at the same time, one message
 * never.
 */
public interface InboxHandler {

  /** The topic whose messages this handles; constant, never blank and never the wildcard. */
  String topic();

  /** Handles a message; returns when it is done. */
  void handle(InboxMessage message, HandlerContext context) throws Exception;

  /** Creates a handler of a topic from a lambda. */
  static InboxHandler of(String topic, Body body) {
    InboxKey.handled("topic", requireNonNull(topic, "topic"));
    requireNonNull(body, "body");
    return new InboxHandler() {
      @Override
      public String topic() {
        return topic;
      }

      @Override
      public void handle(InboxMessage message, HandlerContext context) throws Exception {
        body.handle(message, context);
      }
    };
  }

  /** What a handler does, without its topic. */
  @FunctionalInterface
  interface Body {
    /** Handles a message; returns when it is done. */
    void handle(InboxMessage message, HandlerContext context) throws Exception;
  }
}

package outbox;

/**
 * Processes the messages of one topic. It is an {@link EventListener} that sees the message as the
 * work queue does and is told when to stop.
 *
 * <p>Returning means done. {@link PermanentFailureException} means dead at once, {@link
 * DeferException} means later without counting, and anything else is tried again later or, after
 * the last attempt, dead. Delivery is at least once, so a handler must bear the same message twice;
 * different messages are handled at the same time.
 */
public interface OutboxHandler extends EventListener {

  /** The topic whose messages this handles; constant. */
  String topic();

  void handle(OutboxMessage message, HandlerContext context) throws Exception;

  /** Refused: a handler needs its context, which only the dispatcher has. */
  @Override
  default void onEvent(EventEnvelope event) {
    throw new IllegalStateException("an OutboxHandler is called by the dispatcher, with a context");
  }
}

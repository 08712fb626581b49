package outbox;

/**
 * A listener or handler that takes its payload as an object, written as a lambda. A builder reads
 * the payload by its {@link PayloadCodec} before it calls this.
 *
 * <p>What it throws means what it means for an {@link EventListener}.
 *
 * @param <T> the class that the payload is read as
 */
@FunctionalInterface
public interface PayloadListener<T> {

  /** Handles the payload of an event; returns when it is done. */
  void handle(T payload) throws Exception;

  /**
   * Takes one more argument beside the payload.
   *
   * @param <A> the facts of the event, or the connection of the transaction
   */
  @FunctionalInterface
  interface With<T, A> {
    /** Handles the payload of an event; returns when it is done. */
    void handle(T payload, A beside) throws Exception;
  }

  /**
   * Takes two more arguments beside the payload.
   *
   * @param <A> the event or message that the payload is of
   * @param <B> the connection of the transaction, or the context of a handler
   */
  @FunctionalInterface
  interface WithBoth<T, A, B> {
    /** Handles the payload of an event; returns when it is done. */
    void handle(T payload, A event, B beside) throws Exception;
  }
}

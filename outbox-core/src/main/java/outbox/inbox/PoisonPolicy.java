package outbox.inbox;

/**
 * What a consumer of a broker does with a message that the inbox cannot take, such as one that is
 * not text.
 */
public enum PoisonPolicy {
  /**
   * Stores the message as a dead letter of the inbox, its content in Base64, with the reason in the
   * header {@code outbox-poison}, and continues. If the inbox cannot take that either, because it
   * is too large, the consumer stops as with {@link #STOP}.
   */
  STORE_DEAD,

  /** Stops the consumer before the message. Those before it are stored, nothing is lost. */
  STOP
}

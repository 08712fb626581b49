package outbox.internal.engine.delivery;

/** The store that a delivery comes from, as far as the delivery and its worker need it. */
public interface Origin {
  /** For a log line: " store=…", or nothing if there is only one store. */
  String label();

  /** Whether the messages of this topic are the library's own, which no metric counts. */
  boolean isInternal(String topic);

  /** Whether the store takes nothing in any more. */
  boolean isClosing();

  /**
   * Handles a delivery of this store on the calling thread.
   *
   * @return whether the calling thread was given up meanwhile and must end
   */
  boolean handle(Delivery delivery);

  /**
   * Handles a batch of this store on the calling thread.
   *
   * @return whether the calling thread was given up meanwhile and must end
   */
  boolean handle(DeliveryBatch batch);
}

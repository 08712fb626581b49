package outbox.internal.engine.delivery;

/** What a worker takes at once: one delivery, or a batch of deliveries of one store. */
public sealed interface Work permits Delivery, DeliveryBatch {

  Origin origin();

  /** Has it handled on the calling thread; returns whether that thread was given up meanwhile. */
  boolean handle();
}

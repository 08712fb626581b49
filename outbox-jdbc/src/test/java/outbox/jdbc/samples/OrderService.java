package outbox.jdbc.samples;

import outbox.OutboxClient;

// region tested-service
/** What the tests are about: code of an application that publishes. */
class OrderService {
  private final OutboxClient outbox;

  OrderService(OutboxClient outbox) {
    this.outbox = outbox;
  }

  void place(OrderPlaced order) {
    outbox.publish("OrderPlaced", order);
  }

  record OrderPlaced(long orderId, String item) {}
}
// endregion

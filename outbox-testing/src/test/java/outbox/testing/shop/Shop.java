package outbox.testing.shop;

import outbox.OutboxClient;

/** Stands for the code of an application: it knows the outbox, and nothing of its tests. */
final class Shop {
  private final OutboxClient outbox;

  Shop(OutboxClient outbox) {
    this.outbox = outbox;
  }

  void place(OrderPlaced order) {
    outbox.publish(
        "OrderPlaced",
        order,
        event -> event.aggregateType("Order").aggregateId(String.valueOf(order.orderId())));
    if (order.item().isEmpty()) {
      throw new IllegalArgumentException("an order needs an item");
    }
  }

  record OrderPlaced(long orderId, String item) {}

  record Payment(String order, long cents) {}
}

package outbox.demo;

import java.util.List;
import java.util.Locale;
import outbox.EventEnvelope;

/** An order of the shop; its number is unique within the node that takes it. */
record Order(String id, String customer, int cents) {
  /** The events of nearly all orders. */
  static final String PLACED = "OrderPlaced";

  /** The events of orders that must be passed on by fax. */
  static final String PLACED_BY_FAX = "OrderPlacedByFax";

  private static final List<String> CUSTOMERS =
      List.of("Ada", "Barbara", "Edsger", "Frances", "Grace", "Jim", "Leslie", "Tony");

  static Order number(String node, int number) {
    return new Order(
        String.format(Locale.ROOT, "%s-%05d", node, number),
        CUSTOMERS.get(number % CUSTOMERS.size()),
        500 + number * 37 % 9500);
  }

  EventEnvelope event(String type) {
    return EventEnvelope.builder(type)
        .aggregateType("Order")
        .aggregateId(id)
        .payloadJson(
            String.format(
                Locale.ROOT,
                "{\"order\":\"%s\",\"customer\":\"%s\",\"cents\":%d}",
                id,
                customer,
                cents))
        .build();
  }
}

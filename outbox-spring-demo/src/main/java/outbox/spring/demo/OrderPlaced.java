package outbox.spring.demo;

/** The payload of the event, as JSON. */
record OrderPlaced(String orderId, String item, long cents) {
  static final String TOPIC = "order.placed";
}

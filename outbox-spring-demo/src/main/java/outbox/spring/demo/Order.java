package outbox.spring.demo;

/** An order as it is now. */
record Order(String id, String customer, String item, long cents, String eventId, boolean paid) {}

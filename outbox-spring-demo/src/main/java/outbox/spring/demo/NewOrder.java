package outbox.spring.demo;

/** What a customer sends. */
record NewOrder(String customer, String item, long cents) {}

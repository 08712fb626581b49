package shop;

/** An order was placed. */
public record OrderPlaced(String orderId, long cents) {}

package shop;

/** The bank says that an order was paid. */
public record PaymentReceived(String orderId) {}

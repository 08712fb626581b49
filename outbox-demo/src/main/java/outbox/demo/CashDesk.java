package outbox.demo;

import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;
import outbox.demo.Shop.OrderCancelledException;

/** Takes orders at this node and enters each in the ledger. Thread-safe. */
final class CashDesk {
  private final Shop shop;
  private final Ledger ledger;
  private final NodeMetrics metrics;
  private final AtomicInteger numbers = new AtomicInteger();

  CashDesk(Shop shop, Ledger ledger, NodeMetrics metrics) {
    this.shop = shop;
    this.ledger = ledger;
    this.metrics = metrics;
  }

  void place(String eventType) throws Exception {
    Order order = Order.number("A", numbers.incrementAndGet());
    EventEnvelope event = order.event(eventType);
    shop.place(order, event, () -> {});
    ledger.committed(event.eventId(), order.id(), metrics.wentHot());
  }

  /** The customer changes their mind when order and event are written, before the commit. */
  void placeAndCancel() throws Exception {
    Order order = Order.number("A", numbers.incrementAndGet());
    EventEnvelope event = order.event(Order.PLACED);
    try {
      shop.place(
          order,
          event,
          () -> {
            throw new OrderCancelledException();
          });
    } catch (OrderCancelledException e) {
      ledger.rolledBack(event.eventId(), order.id());
    }
  }
}

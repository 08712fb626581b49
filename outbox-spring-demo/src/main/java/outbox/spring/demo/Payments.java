package outbox.spring.demo;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import outbox.EventEnvelope;
import outbox.spring.boot.OutboxListener;

/** Has each order paid. The table takes a second payment too, so that one would show. */
@Component
class Payments {
  private final PaymentProvider provider;
  private final JdbcClient jdbc;

  Payments(PaymentProvider provider, JdbcClient jdbc) {
    this.provider = provider;
    this.jdbc = jdbc;
  }

  @OutboxListener(OrderPlaced.TOPIC)
  void pay(OrderPlaced order, EventEnvelope event) {
    provider.charge(order);
    jdbc.sql("INSERT INTO payment (order_id, event_id, cents) VALUES (?, ?, ?)")
        .params(order.orderId(), event.eventId(), order.cents())
        .update();
  }
}

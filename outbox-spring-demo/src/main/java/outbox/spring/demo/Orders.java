package outbox.spring.demo;

import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.OutboxClient;

/** Stores an order and publishes the event of it, both or neither. */
@Service
class Orders {
  private static final String SELECT =
      """
      SELECT id, customer, item, cents, event_id,
             EXISTS (SELECT 1 FROM payment WHERE payment.order_id = orders.id) AS paid
      FROM orders WHERE id = ?
      """;

  private final JdbcClient jdbc;
  private final OutboxClient outbox;

  Orders(JdbcClient jdbc, OutboxClient outbox) {
    this.jdbc = jdbc;
    this.outbox = outbox;
  }

  @Transactional
  Order place(NewOrder order) {
    String id = UUID.randomUUID().toString();
    OrderPlaced placed = new OrderPlaced(id, order.item(), order.cents());
    String eventId =
        outbox.publish(
            OrderPlaced.TOPIC, placed, event -> event.aggregateType("order").aggregateId(id));
    jdbc.sql("INSERT INTO orders (id, customer, item, cents, event_id) VALUES (?, ?, ?, ?, ?)")
        .params(id, order.customer(), order.item(), order.cents(), eventId)
        .update();
    return new Order(id, order.customer(), order.item(), order.cents(), eventId, false);
  }

  Optional<Order> find(String id) {
    return jdbc.sql(SELECT).param(id).query(Order.class).optional();
  }
}

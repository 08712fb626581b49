package outbox.demo;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcOutbox;

/**
 * A node that commits orders and then hangs, to be killed in three unpleasant moments at once: one
 * event has just reached the broker but its success is not stored, many wait in memory, and one
 * transaction is open.
 */
final class DoomedNode {
  static final String NAME = "node-b";

  private DoomedNode() {}

  /** Runs until the node is killed. */
  static void run(DataSource dataSource, int orders, Duration lease, Witness witness)
      throws Exception {
    OutboxConfig config =
        new OutboxConfig().setDispatcherWorkers(1).setPollerEnabled(false).setLeaseDuration(lease);
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .node(NAME)
            .config(config)
            .listener(
                Order.PLACED,
                event -> {
                  witness.delivered(event.eventId());
                  hang();
                })
            .start()) {
      Shop shop = new Shop(outbox);
      for (int number = 1; number <= orders; number++) {
        Order order = Order.number("B", number);
        EventEnvelope event = order.event(Order.PLACED);
        shop.place(order, event, () -> {});
        witness.committed(event.eventId(), order.id());
      }
      Order last = Order.number("B", orders + 1);
      EventEnvelope event = last.event(Order.PLACED);
      shop.place(
          last,
          event,
          () -> {
            witness.leftOpen(event.eventId(), last.id());
            hang();
          });
    }
  }

  private static void hang() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  /** Learns what the node has done before it dies. Called by several threads. */
  interface Witness {
    void committed(String eventId, String orderId);

    /** The broker has the event; the node will not live to store that. */
    void delivered(String eventId);

    /** Order and event are written, and will never be committed. */
    void leftOpen(String eventId, String orderId);
  }
}

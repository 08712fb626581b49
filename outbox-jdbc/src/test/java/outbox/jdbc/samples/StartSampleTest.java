package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.PreparedStatement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcTransactionManager;

class StartSampleTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();
  private final Broker broker = new Broker();
  private final Warehouse warehouse = new Warehouse();

  // region start-event
  record OrderPlaced(long orderId, String item) {}

  // endregion

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void wholeOutboxOnADataSource() throws Exception {
    // region start
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .listener("OrderPlaced", OrderPlaced.class, order -> warehouse.reserve(order.item()))
            .start()) {

      outbox.inTransaction(
          connection -> {
            try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO orders (id, item) VALUES (?, ?)")) {
              insert.setLong(1, 42);
              insert.setString(2, "book");
              insert.executeUpdate();
            }
            outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));
          });
    }
    // endregion

    assertThat(warehouse.reserved).containsExactly("book");
    assertThat(database.number("SELECT COUNT(*) FROM outbox_event WHERE status = 1")).isEqualTo(1);
    assertThat(database.number("SELECT COUNT(*) FROM orders")).isEqualTo(1);
  }

  @Test
  void transactionBegunAndEndedByHand() throws Exception {
    String eventId;
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .listener("OrderPlaced", event -> broker.send(event.eventId(), event.payloadJson()))
            .start()) {
      OutboxClient client = outbox.client();
      // region envelope
      EventEnvelope event =
          EventEnvelope.builder("OrderPlaced")
              .aggregateType("Order")
              .aggregateId("42")
              .tenantId("acme")
              .correlationId("request-7")
              .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
              .payloadJson("{\"orderId\":42}")
              .build();
      // endregion

      // region by-hand
      try (JdbcTransactionManager.Transaction tx = outbox.transactions().begin()) {
        eventId = client.publish(event);
        tx.commit();
      }
      // endregion
      database.awaitDone(eventId);
    }
    assertThat(broker.sent).containsOnlyKeys(eventId);
  }

  /** Stands for what the application does after an order. */
  private static final class Warehouse {
    final List<String> reserved = new CopyOnWriteArrayList<>();

    void reserve(String item) {
      reserved.add(item);
    }
  }

  /** Stands for the application's message broker. */
  private static final class Broker {
    final Map<String, String> sent = new ConcurrentHashMap<>();

    void send(String messageId, @Nullable String body) {
      sent.put(messageId, String.valueOf(body));
    }
  }
}

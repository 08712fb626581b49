package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.PayloadCodec;
import outbox.UnreadablePayloadException;
import outbox.inbox.InboxKey;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;

/** What docs/payloads.md shows. */
class PayloadSamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();
  private final List<String> log = new CopyOnWriteArrayList<>();

  record OrderPlaced(long orderId, String item) {}

  record Payment(String order, long cents) {}

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void listenersTakeObjects() {
    // region payload-listeners
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .listener("OrderPlaced", OrderPlaced.class, order -> log.add("mail " + order.item()))
            .listener(
                "OrderPlaced",
                OrderPlaced.class,
                (order, event) -> log.add("broker " + event.eventId()))
            .transactionalListener(
                "OrderPlaced",
                OrderPlaced.class,
                (order, connection) -> {
                  try (PreparedStatement insert =
                      connection.prepareStatement("INSERT INTO orders (id, item) VALUES (?, ?)")) {
                    insert.setLong(1, order.orderId());
                    insert.setString(2, order.item());
                    insert.executeUpdate();
                  }
                });
    // endregion
    try (JdbcOutbox outbox = builder.start()) {
      OrderPlaced order = new OrderPlaced(42, "book");
      // region payload-facts
      String eventId =
          outbox.inTransaction(
              connection ->
                  outbox.publish(
                      "OrderPlaced",
                      order,
                      event -> event.aggregateType("Order").aggregateId("42").tenantId("acme")));
      // endregion
      database.awaitDone(eventId);
      assertThat(log).containsExactlyInAnyOrder("mail book", "broker " + eventId);
      assertThat(database.number("SELECT COUNT(*) FROM orders")).isEqualTo(1);
    }
  }

  @Test
  void queueAndInboxTakeObjects() {
    try (JdbcOutbox outbox =
            JdbcOutbox.builder(dataSource)
                .createSchema()
                .handler("mail.send", OrderPlaced.class, order -> log.add("sent " + order.item()))
                .start();
        JdbcInbox inbox =
            JdbcInbox.builder(dataSource)
                .createSchema()
                .handler("paid", Payment.class, payment -> log.add("paid " + payment.cents()))
                .start()) {
      // region payload-queue
      outbox.queue().enqueue("mail.send", new OrderPlaced(42, "book"));
      inbox.receive(new InboxKey("bank", "7"), "paid", new Payment("42", 900));
      // endregion
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(log).containsExactlyInAnyOrder("sent book", "paid 900"));
    }
  }

  // region payload-codec
  /** Payments as lines of text. */
  static final class PaymentCodec implements PayloadCodec {
    @Override
    public String contentType() {
      return "text/csv";
    }

    @Override
    public boolean isText() {
      return true;
    }

    @Override
    public byte[] encode(Object value) {
      Payment payment = (Payment) value;
      return (payment.order() + "," + payment.cents()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Object decode(byte[] payload, Type type) {
      String[] fields = new String(payload, StandardCharsets.UTF_8).split(",", -1);
      if (fields.length != 2) {
        throw new UnreadablePayloadException("it has " + fields.length + " fields instead of 2");
      }
      return new Payment(fields[0], Long.parseLong(fields[1]));
    }
  }

  // endregion

  @Test
  void codecOfOnesOwn() {
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .codec(new PaymentCodec())
            .listener(
                "paid",
                Payment.class,
                (payment, event) -> log.add(payment.cents() + " " + event.headers()))
            .start()) {
      outbox.inTransaction(connection -> outbox.publish("paid", new Payment("42", 900)));
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(log).containsExactly("900 {content-type=text/csv}"));
    }
  }
}

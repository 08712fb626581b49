package outbox.kafka.flow;

import java.sql.PreparedStatement;
import java.util.Map;
import org.awaitility.Awaitility;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.db.TestDatabase;
import outbox.kafka.KafkaInboxConsumer;

/**
 * Service B: takes the orders from Kafka and writes a bill for each: {@code BillingService url
 * broker topic}.
 */
public final class BillingService {
  private BillingService() {}

  public static void main(String[] args) {
    try (JdbcInbox inbox =
            JdbcInbox.builder(TestDatabase.pool(args[0]))
                .config(new OutboxConfig().setLeaseDuration(Flow.LEASE).setPollerIntervalMs(200))
                .transactionalHandler(
                    "OrderPlaced",
                    (message, connection) -> {
                      try (PreparedStatement insert =
                          connection.prepareStatement(
                              "INSERT INTO bill (order_id, trace) VALUES (?, ?)")) {
                        insert.setInt(1, Integer.parseInt(message.payload()));
                        insert.setString(2, message.headers().get("traceparent"));
                        insert.executeUpdate();
                      }
                    })
                .start();
        KafkaInboxConsumer consumer =
            KafkaInboxConsumer.builder(
                    inbox,
                    Map.of(
                        "bootstrap.servers",
                        args[1],
                        "group.id",
                        "billing",
                        "session.timeout.ms",
                        "6000",
                        "max.poll.records",
                        "200"))
                .topics(args[2])
                .start()) {
      Awaitility.await().forever().until(() -> !consumer.isRunning());
    }
  }
}

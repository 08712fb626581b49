package outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.Batches;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.kafka.broker.KafkaBroker;

/** What docs/kafka.md shows. */
@Timeout(120)
class KafkaSamplesTest {
  private final String brokers = KafkaBroker.shared().address();

  @Test
  void sendsToKafkaAndTakesFromIt() {
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      DataSource dataSource = database.dataSource();
      OutboxSchema.of(dataSource).deploy();
      Set<String> handled = ConcurrentHashMap.newKeySet();
      // region kafka-out
      KafkaForwarder kafka = KafkaForwarder.to(Map.of("bootstrap.servers", brokers));
      JdbcOutbox outbox =
          JdbcOutbox.builder(dataSource).batchListenerOfAll(Batches.of(500), kafka).start();
      // endregion
      JdbcInbox inbox =
          JdbcInbox.builder(dataSource)
              .createSchema()
              .handler("orders", (message, context) -> handled.add(message.payload()))
              .start();
      // region kafka-in
      KafkaInboxConsumer consumer =
          KafkaInboxConsumer.builder(
                  inbox, Map.of("bootstrap.servers", brokers, "group.id", "billing"))
              .topics("orders")
              .start();
      // endregion
      MeterRegistry registry = new SimpleMeterRegistry();
      // region kafka-lag
      Gauge.builder("outbox.kafka.lag", consumer, KafkaInboxConsumer::lag).register(registry);
      // endregion
      outbox.inTransaction(
          connection -> outbox.publish(EventEnvelope.ofJson("orders", "{\"id\":1}")));
      await().atMost(Duration.ofMinutes(1)).until(() -> handled.contains("{\"id\":1}"));
      assertThat(registry.get("outbox.kafka.lag").gauge().value()).isNotNegative();
      outbox.close();
      consumer.close();
      inbox.close();
      kafka.close();
    }
  }

  @Test
  void hasOptions() {
    // region kafka-options
    KafkaForwarder kafka =
        KafkaForwarder.builder(Map.of("bootstrap.servers", brokers))
            .topicByAggregateType()
            .key(EventEnvelope::tenantId)
            .cloudEvents(URI.create("/shop/orders"), CloudEventsMode.BINARY)
            .build();
    // endregion
    assertThat(kafka).isNotNull();
    kafka.close();
  }
}

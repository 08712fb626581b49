package outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.ConnectionFactory;
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
import outbox.rabbitmq.broker.RabbitNode;

/** What docs/rabbitmq.md shows. */
@Timeout(180)
class RabbitSamplesTest {

  @Test
  void sendsToRabbitAndTakesFromIt() {
    try (RabbitNode node = RabbitNode.start();
        TestDatabase database = TestDatabase.create(Product.H2)) {
      RabbitUnderTest rabbit = new RabbitUnderTest(node);
      rabbit.declare("billing", Map.of());
      rabbit.on(
          channel -> {
            channel.exchangeDeclare("shop", BuiltinExchangeType.TOPIC, true);
            channel.queueBind("billing", "shop", "#");
          });
      ConnectionFactory connectionFactory = node.connections();
      DataSource dataSource = database.dataSource();
      OutboxSchema.of(dataSource).deploy();
      Set<String> handled = ConcurrentHashMap.newKeySet();
      // region rabbitmq-out
      RabbitForwarder rabbitmq =
          RabbitForwarder.builder(connectionFactory).exchange("shop").build();
      JdbcOutbox outbox =
          JdbcOutbox.builder(dataSource).batchListenerOfAll(Batches.of(200), rabbitmq).start();
      // endregion
      JdbcInbox inbox =
          JdbcInbox.builder(dataSource)
              .createSchema()
              .handler("OrderPlaced", (message, context) -> handled.add(message.payload()))
              .start();
      // region rabbitmq-in
      RabbitInboxConsumer consumer =
          RabbitInboxConsumer.builder(inbox, connectionFactory).queues("billing").start();
      // endregion
      outbox.inTransaction(
          connection -> outbox.publish(EventEnvelope.ofJson("OrderPlaced", "{\"id\":1}")));
      await().atMost(Duration.ofMinutes(1)).until(() -> handled.contains("{\"id\":1}"));
      assertThat(consumer.received()).isEqualTo(1);
      outbox.close();
      consumer.close();
      inbox.close();
      rabbitmq.close();
    }
  }
}

package outbox.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.inbox.InboxMessage;
import outbox.inbox.PoisonPolicy;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.model.DeadLetterFilter;
import outbox.rabbitmq.broker.RabbitNode;

/** Messages of a real broker in an inbox of a real database. */
@Timeout(240)
class RabbitInboxConsumerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static RabbitNode node;

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Map<String, InboxMessage> handled = new ConcurrentHashMap<>();
  private final Set<String> repeated = ConcurrentHashMap.newKeySet();
  private RabbitUnderTest rabbit;
  private JdbcInbox inbox;

  @BeforeAll
  static void startNode() {
    node = RabbitNode.start();
  }

  @AfterAll
  static void stopNode() {
    if (node != null) {
      node.close();
    }
  }

  @BeforeEach
  void openInbox() {
    rabbit = new RabbitUnderTest(node);
    TestDatabase database = opened(TestDatabase.create(Product.H2));
    inbox =
        opened(
            JdbcInbox.builder(database.dataSource())
                .createSchema()
                .handler(
                    "Number",
                    (message, context) -> {
                      if (handled.put(message.messageId(), message) != null) {
                        repeated.add(message.messageId());
                      }
                    })
                .start());
  }

  @AfterEach
  void closeAll() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  @Test
  void storesWhatAForwarderSentAndItsHandlerRuns() throws Exception {
    EventEnvelope event =
        EventEnvelope.builder("Number")
            .tenantId("acme")
            .header("traceparent", "00-a")
            .payloadJson("{\"n\":1}")
            .build();
    opened(rabbit.forwarder(Duration.ofSeconds(30))).onEvent(event);
    RabbitInboxConsumer consumer = start(consumer());
    await().atMost(PATIENCE).until(() -> handled.containsKey(event.eventId()));
    InboxMessage message = requireNonNull(handled.get(event.eventId()));
    assertThat(message.source()).isEqualTo(rabbit.queue());
    assertThat(message.payload()).isEqualTo("{\"n\":1}");
    assertThat(message.headers())
        .containsEntry("traceparent", "00-a")
        .containsEntry("outbox-tenant-id", "acme")
        .containsEntry("content-type", "application/json");
    assertThat(consumer.received()).isEqualTo(1);
  }

  @Test
  void recognisesMessagesThatAreDeliveredAgain() {
    send(0, 50);
    RabbitInboxConsumer consumer = start(consumer());
    await().atMost(PATIENCE).until(() -> handled.size() == 50);
    send(0, 60);
    await().atMost(PATIENCE).until(() -> handled.size() == 60);
    assertThat(consumer.received()).isEqualTo(60);
    assertThat(consumer.duplicates()).isEqualTo(50);
    assertThat(repeated).isEmpty();
    await().atMost(PATIENCE).until(() -> consumer.lag() == 0);
    consumer.close();
    assertThat(rabbit.arrivals()).isEmpty();
  }

  @Test
  void losesNothingWhenTheBrokerIsKilled() {
    RabbitInboxConsumer consumer = start(consumer().prefetch(20));
    send(0, 200);
    node.kill();
    node.restart();
    send(200, 400);
    await().atMost(PATIENCE).until(() -> handled.size() == 400);
    assertThat(repeated).isEmpty();
    assertThat(consumer.isRunning()).isTrue();
  }

  @Test
  void keepsAMessageThatIsNotTextAsADeadLetter() {
    byte[] bytes = {(byte) 0xff};
    publish("poison", bytes);
    send(0, 3);
    RabbitInboxConsumer consumer = start(consumer());
    await().atMost(PATIENCE).until(() -> handled.size() == 3 && consumer.poisoned() == 1);
    assertThat(inbox.deadLetters().list(DeadLetterFilter.all(), 10))
        .singleElement()
        .satisfies(
            letter ->
                assertThat(letter.event().headers().get("outbox-poison")).contains("not text"));
  }

  @Test
  void stopsBeforeAPoisonMessageByOption() {
    byte[] bytes = {(byte) 0xff};
    publish("poison", bytes);
    RabbitInboxConsumer consumer = start(consumer().poison(PoisonPolicy.STOP));
    await().atMost(PATIENCE).until(() -> !consumer.isRunning());
    assertThat(consumer.stoppedBy())
        .hasValueSatisfying(poison -> assertThat(poison.position()).contains("poison"));
    consumer.close();
    assertThat(rabbit.arrivals()).hasSize(1);
  }

  @Test
  void refusesOptionsThatCannotBe() {
    assertThatThrownBy(() -> consumer().prefetch(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("prefetch (0)");
    assertThatThrownBy(() -> RabbitInboxConsumer.builder(inbox, node.connections()).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("at least one queue");
  }

  private RabbitInboxConsumer.Builder consumer() {
    return RabbitInboxConsumer.builder(inbox, node.connections()).queues(rabbit.queue());
  }

  private RabbitInboxConsumer start(RabbitInboxConsumer.Builder builder) {
    return opened(builder.start());
  }

  private void send(int from, int to) {
    rabbit.on(
        channel -> {
          for (int n = from; n < to; n++) {
            publish(channel, "n" + n, Integer.toString(n).getBytes(UTF_8));
          }
        });
  }

  private void publish(String messageId, byte[] body) {
    rabbit.on(channel -> publish(channel, messageId, body));
  }

  private void publish(Channel channel, String messageId, byte[] body) throws IOException {
    channel.confirmSelect();
    channel.basicPublish(
        "",
        rabbit.queue(),
        new BasicProperties.Builder()
            .messageId(messageId)
            .type("Number")
            .headers(Map.of())
            .deliveryMode(2)
            .build(),
        body);
    try {
      channel.waitForConfirmsOrDie(60_000);
    } catch (InterruptedException | TimeoutException e) {
      throw new IOException(e);
    }
  }

  private <T extends AutoCloseable> T opened(T closeable) {
    open.push(closeable);
    return closeable;
  }
}

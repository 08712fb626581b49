package outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.InvalidSettingException;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.PoisonPolicy;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.kafka.broker.KafkaBroker;
import outbox.model.DeadLetter;
import outbox.model.DeadLetterFilter;
import outbox.model.MessageId;
import outbox.model.OutboxEvent;

/** Records of a real broker in an inbox of a real database. */
@Timeout(180)
class KafkaInboxConsumerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Map<String, InboxMessage> handled = new ConcurrentHashMap<>();
  private final Set<String> repeated = ConcurrentHashMap.newKeySet();
  private final KafkaBroker broker = KafkaBroker.shared();
  private final KafkaUnderTest kafka = new KafkaUnderTest(broker);
  private final String group = "group-" + UUID.randomUUID();
  private JdbcInbox inbox;

  @BeforeEach
  void openInbox() {
    TestDatabase database = opened(TestDatabase.create(Product.H2));
    inbox =
        opened(
            JdbcInbox.builder(database.dataSource())
                .createSchema()
                .handler(
                    kafka.topic(),
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
  void storesEachRecordAndItsHandlerRuns() {
    send(numbered(100));
    KafkaInboxConsumer consumer = start(consumer());
    await().atMost(PATIENCE).until(() -> handled.size() == 100);
    assertThat(consumer.received()).isEqualTo(100);
    assertThat(consumer.duplicates()).isZero();
    assertThat(repeated).isEmpty();
    InboxMessage one = handled.values().iterator().next();
    assertThat(one.source()).isEqualTo(kafka.topic());
    assertThat(one.headers())
        .containsEntry("outbox-position", kafka.topic() + "-" + one.messageId())
        .containsEntry("kafka-key", "k" + one.payload());
  }

  @Test
  void continuesWhereItsGroupWas() {
    send(numbered(20));
    KafkaInboxConsumer first = start(consumer());
    await().atMost(PATIENCE).until(() -> first.received() == 20);
    first.close();
    assertThat(first.isRunning()).isFalse();
    send(numbered(5));
    KafkaInboxConsumer second = start(consumer());
    await().atMost(PATIENCE).until(() -> handled.size() == 25);
    assertThat(second.received()).isEqualTo(5);
    assertThat(second.duplicates()).isZero();
  }

  @Test
  void recognisesRecordsThatComeAgain() {
    send(numbered(20));
    KafkaInboxConsumer first = start(consumer());
    await().atMost(PATIENCE).until(() -> handled.size() == 20);
    first.close();
    KafkaInboxConsumer again = start(builder("other-" + group).topics(kafka.topic()));
    await().atMost(PATIENCE).until(() -> again.duplicates() == 20);
    assertThat(again.received()).isZero();
    assertThat(repeated).isEmpty();
  }

  @Test
  void sharesTheTopicWithinItsGroupAndTakesOverWhenAMemberLeaves() {
    KafkaInboxConsumer stays = start(consumer().threads(2));
    KafkaInboxConsumer leaves = start(consumer());
    send(numbered(200));
    await().atMost(PATIENCE).until(() -> handled.size() > 50);
    leaves.close();
    send(numbered(200));
    await().atMost(PATIENCE).until(() -> handled.size() == 400);
    assertThat(stays.received() + leaves.received()).isEqualTo(400);
    assertThat(repeated).isEmpty();
  }

  @Test
  void keepsARecordThatIsNotTextAsADeadLetter() {
    byte[] bytes = {(byte) 0xff, 0, 1};
    send(numbered(3));
    send(List.of(new ProducerRecord<>(kafka.topic(), 0, null, bytes)));
    send(numbered(3));
    KafkaInboxConsumer consumer = start(consumer());
    await().atMost(PATIENCE).until(() -> handled.size() == 6 && consumer.poisoned() == 1);
    List<DeadLetter> dead = inbox.deadLetters().list(DeadLetterFilter.all(), 10);
    assertThat(dead)
        .singleElement()
        .satisfies(
            letter -> {
              OutboxEvent event =
                  inbox
                      .deadLetters()
                      .find(new MessageId(letter.event().eventId()))
                      .orElseThrow()
                      .event();
              assertThat(event.payloadJson()).isEqualTo("/wAB");
              assertThat(event.headers().get("outbox-poison")).contains("not text");
            });
    assertThat(consumer.isRunning()).isTrue();
  }

  @Test
  void stopsBeforeAPoisonRecordByOption() {
    byte[] bytes = {(byte) 0xff};
    send(List.of(new ProducerRecord<>(kafka.topic(), 0, null, bytes)));
    KafkaInboxConsumer consumer = start(consumer().poison(PoisonPolicy.STOP));
    await().atMost(PATIENCE).until(() -> !consumer.isRunning());
    assertThat(consumer.stoppedBy())
        .hasValueSatisfying(
            poison -> {
              assertThat(poison.position()).isEqualTo(kafka.topic() + "-0-0");
              assertThat(poison).hasMessageContaining("not text");
            });
    assertThat(inbox.deadLetters().list(DeadLetterFilter.all(), 10)).isEmpty();

    start(
        consumer()
            .mapping(
                record ->
                    InboundMessage.of(
                        new InboxKey("hex", "one"), kafka.topic(), "" + record.value().length)));
    await().atMost(PATIENCE).until(() -> handled.containsKey("one"));
  }

  @Test
  void stopsAtARecordThatIsLargerThanTheInboxTakes() {
    byte[] large = "1".repeat(InboundMessage.MAX_PAYLOAD_BYTES - 5_000).getBytes(UTF_8);
    JdbcInbox small =
        opened(
            JdbcInbox.builder(opened(TestDatabase.create(Product.H2)).dataSource())
                .createSchema()
                .maxPayloadBytes(1000)
                .start());
    send(List.of(new ProducerRecord<>(kafka.topic(), 0, null, large)));
    KafkaInboxConsumer consumer =
        opened(KafkaInboxConsumer.builder(small, settings(group)).topics(kafka.topic()).start());
    await().atMost(PATIENCE).until(() -> !consumer.isRunning());
    assertThat(consumer.stoppedBy())
        .hasValueSatisfying(
            poison -> assertThat(poison).hasMessageContaining("must not exceed 1000 bytes"));
  }

  @Test
  void measuresItsLagAlsoWhileItIsPaused() {
    AtomicBoolean paused = new AtomicBoolean(true);
    KafkaInboxConsumer consumer = start(consumer().pauseWhile(paused::get));
    send(numbered(40));
    await().atMost(PATIENCE).until(() -> consumer.lag() == 40);
    assertThat(consumer.received()).isZero();
    paused.set(false);
    await().atMost(PATIENCE).until(() -> consumer.received() == 40 && consumer.lag() == 0);
  }

  @Test
  void refusesSettingsThatLoseRecords() {
    assertThatThrownBy(
            () ->
                KafkaInboxConsumer.builder(
                        inbox,
                        Map.of(
                            "bootstrap.servers",
                            broker.address(),
                            "group.id",
                            group,
                            "enable.auto.commit",
                            "true"))
                    .topics("any")
                    .start())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("enable.auto.commit (true) must be false");
    assertThatThrownBy(
            () ->
                KafkaInboxConsumer.builder(inbox, Map.of("bootstrap.servers", broker.address()))
                    .topics("any")
                    .start())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("group.id must be set");
    assertThatThrownBy(() -> builder(group).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("at least one Kafka topic");
  }

  private KafkaInboxConsumer.Builder consumer() {
    return builder(group).topics(kafka.topic());
  }

  private KafkaInboxConsumer.Builder builder(String groupId) {
    return KafkaInboxConsumer.builder(inbox, settings(groupId));
  }

  private Map<String, Object> settings(String groupId) {
    return Map.of("bootstrap.servers", broker.address(), "group.id", groupId);
  }

  private KafkaInboxConsumer start(KafkaInboxConsumer.Builder builder) {
    return opened(builder.start());
  }

  private List<ProducerRecord<byte[], byte[]>> numbered(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            n ->
                new ProducerRecord<>(
                    kafka.topic(), ("k" + n).getBytes(UTF_8), Integer.toString(n).getBytes(UTF_8)))
        .toList();
  }

  private void send(List<ProducerRecord<byte[], byte[]>> records) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.address()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      List<Future<RecordMetadata>> sent = records.stream().map(producer::send).toList();
      producer.flush();
      for (Future<RecordMetadata> one : sent) {
        assertThat(one).succeedsWithin(Duration.ZERO);
      }
    }
  }

  private <T extends AutoCloseable> T opened(T closeable) {
    open.push(closeable);
    return closeable;
  }
}

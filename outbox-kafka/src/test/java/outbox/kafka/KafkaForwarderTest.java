package outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.DeferException;
import outbox.EventEnvelope;
import outbox.InvalidSettingException;
import outbox.PermanentFailureException;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.kafka.broker.KafkaBroker;

/** How events become records, and which settings are refused. */
@Timeout(120)
class KafkaForwarderTest {
  private static final URI SOURCE = URI.create("/shop/orders");

  private final KafkaBroker broker = KafkaBroker.shared();
  private final KafkaUnderTest kafka = new KafkaUnderTest(broker);

  @Test
  void writesWhatAnEventHasIntoHeaders() throws Exception {
    ConsumerRecord<byte[], byte[]> record = sent(builder -> builder, order());
    assertThat(headers(record))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "outbox-event-id", "e-1",
                "outbox-event-type", "OrderPlaced",
                "outbox-event-time", "2026-01-02T03:04:05Z",
                "outbox-aggregate-type", "order",
                "outbox-aggregate-id", "o-7",
                "outbox-tenant-id", "acme",
                "outbox-correlation-id", "c-9",
                "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "X-Region", "north",
                "content-type", "application/json"));
    assertThat(new String(record.key(), UTF_8)).isEqualTo("o-7");
    assertThat(new String(record.value(), UTF_8)).isEqualTo("{\"item\":\"book\"}");
  }

  @Test
  void readsItsOwnRecordsBack() throws Exception {
    ConsumerRecord<byte[], byte[]> record = sent(builder -> builder, order());
    InboundMessage message = RecordMapping.standard().message(record);
    assertThat(message.key()).isEqualTo(new InboxKey(kafka.topic(), "e-1"));
    assertThat(message.topic()).isEqualTo("OrderPlaced");
    assertThat(message.payload()).isEqualTo("{\"item\":\"book\"}");
    assertThat(message.headers())
        .containsEntry("X-Region", "north")
        .containsEntry("outbox-tenant-id", "acme");
  }

  @ParameterizedTest
  @EnumSource
  void writesAndReadsCloudEvents(CloudEventsMode mode) throws Exception {
    ConsumerRecord<byte[], byte[]> record =
        sent(builder -> builder.cloudEvents(SOURCE, mode), order());
    if (mode == CloudEventsMode.BINARY) {
      assertThat(headers(record))
          .containsEntry("ce_specversion", "1.0")
          .containsEntry("ce_id", "e-1")
          .containsEntry("ce_source", "/shop/orders")
          .containsEntry("ce_type", "OrderPlaced")
          .containsEntry("ce_subject", "o-7")
          .containsEntry("ce_time", "2026-01-02T03:04:05Z")
          .containsEntry("ce_tenantid", "acme")
          .containsEntry("content-type", "application/json")
          .containsEntry("X-Region", "north");
      assertThat(new String(record.value(), UTF_8)).isEqualTo("{\"item\":\"book\"}");
    } else {
      assertThat(headers(record).get("content-type")).startsWith("application/cloudevents+json");
      assertThat(new String(record.value(), UTF_8))
          .contains("\"specversion\":\"1.0\"", "\"data\":{\"item\":\"book\"}");
    }
    assertThat(new String(record.key(), UTF_8)).isEqualTo("o-7");

    InboundMessage message = RecordMapping.standard().message(record);
    assertThat(message.key()).isEqualTo(new InboxKey("/shop/orders", "e-1"));
    assertThat(message.topic()).isEqualTo("OrderPlaced");
    assertThat(message.payload()).isEqualTo("{\"item\":\"book\"}");
    assertThat(message.headers())
        .containsEntry("tenantid", "acme")
        .containsEntry("correlationid", "c-9")
        .containsEntry("content-type", "application/json")
        .containsEntry("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .containsEntry("X-Region", "north");
  }

  @Test
  void namesTheTopicByAggregateTypeOrByFunction() throws Exception {
    EventEnvelope event =
        EventEnvelope.builder("Any").aggregateType(kafka.topic()).payloadJson("1").build();
    try (KafkaForwarder forwarder = forwarder().topicByAggregateType().build()) {
      forwarder.onEvent(event);
      assertThatThrownBy(() -> forwarder.onEvent(EventEnvelope.ofJson("Any", "1")))
          .isInstanceOf(PermanentFailureException.class)
          .hasMessageContaining("no aggregateType");
    }
    try (KafkaForwarder forwarder =
        forwarder().topic(EventEnvelope::aggregateType).key(EventEnvelope::eventId).build()) {
      forwarder.onEvent(event);
    }
    assertThat(kafka.records()).hasSize(2);
    assertThat(kafka.records())
        .filteredOn(record -> record.key() != null)
        .singleElement()
        .satisfies(record -> assertThat(record.key()).isEqualTo(event.eventId().getBytes(UTF_8)));
  }

  @Test
  void sendsBinaryPayloadsAsTheyAre() throws Exception {
    byte[] payload = {0, (byte) 0xff, 7};
    ConsumerRecord<byte[], byte[]> record =
        sent(builder -> builder, EventEnvelope.builder("Any").payloadBytes(payload).build());
    assertThat(record.value()).isEqualTo(payload);
    assertThat(headers(record)).containsEntry("content-type", "application/octet-stream");
  }

  @Test
  void usesAProducerOfTheApplicationAndLeavesItOpen() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.address()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      try (KafkaForwarder forwarder =
          KafkaForwarder.builder(producer).topic(kafka.topic()).build()) {
        forwarder.onEvent(order());
      }
      producer.flush();
      assertThat(kafka.records()).hasSize(1);
    }
  }

  @Test
  void defersWithoutCountingWhileNoBrokerAnswers() {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", "127.0.0.1:1");
    try (KafkaForwarder forwarder =
        KafkaForwarder.builder(settings)
            .leaseDuration(Duration.ofSeconds(1))
            .pause(Duration.ofSeconds(7))
            .build()) {
      assertThatThrownBy(() -> forwarder.onEvent(order()))
          .isInstanceOfSatisfying(
              DeferException.class,
              deferred -> assertThat(deferred.delay()).isEqualTo(Duration.ofSeconds(7)));
    }
  }

  @Test
  void endsAnEventWhoseTypeIsNoNameOfATopic() {
    try (KafkaForwarder forwarder = forwarder().build()) {
      assertThatThrownBy(() -> forwarder.onEvent(EventEnvelope.ofJson("order placed!", "1")))
          .isInstanceOf(PermanentFailureException.class)
          .hasMessageContaining("Kafka refuses the record");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "acks,1,acks (1) must be all",
    "enable.idempotence,false,enable.idempotence (false) must be true",
    "transactional.id,t,transactional.id (t) must not be set",
    "delivery.timeout.ms,30000,delivery.timeout.ms (30000) must be shorter than leaseDuration (PT30S)"
  })
  void refusesSettingsThatLoseOrRepeatEvents(String name, String value, String message) {
    Map<String, String> settings = Map.of("bootstrap.servers", broker.address(), name, value);
    assertThatThrownBy(() -> KafkaForwarder.to(settings))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining(message);
  }

  @Test
  void refusesAPauseOrALeaseOfNothing() {
    assertThatThrownBy(() -> forwarder().pause(Duration.ZERO))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("pause (PT0S)");
    assertThatThrownBy(() -> forwarder().leaseDuration(Duration.ZERO))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("leaseDuration (PT0S)");
  }

  private ConsumerRecord<byte[], byte[]> sent(
      UnaryOperator<KafkaForwarder.Builder> options, EventEnvelope event) throws Exception {
    try (KafkaForwarder forwarder = options.apply(forwarder().topic(kafka.topic())).build()) {
      forwarder.onEvent(event);
    }
    return kafka.records().get(0);
  }

  private KafkaForwarder.Builder forwarder() {
    return KafkaForwarder.builder(Map.of("bootstrap.servers", broker.address()));
  }

  private static EventEnvelope order() {
    return EventEnvelope.builder("OrderPlaced")
        .eventId("e-1")
        .occurredAt(Instant.parse("2026-01-02T03:04:05Z"))
        .aggregateType("order")
        .aggregateId("o-7")
        .tenantId("acme")
        .correlationId("c-9")
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .header("X-Region", "north")
        .payloadJson("{\"item\":\"book\"}")
        .build();
  }

  private static Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
    Map<String, String> headers = new HashMap<>();
    for (Header header : record.headers()) {
      headers.put(header.key(), new String(header.value(), UTF_8));
    }
    return headers;
  }
}

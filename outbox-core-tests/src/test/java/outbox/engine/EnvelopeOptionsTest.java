package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxMessage;
import outbox.StringAggregateType;
import outbox.contracts.support.OptionTable;
import outbox.model.EventStatus;
import outbox.model.InboxEntry;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.testing.memory.InMemoryOutbox;

/** Each part of an {@link EventEnvelope} reaches the node that claims the event. */
class EnvelopeOptionsTest extends InMemoryOutbox {
  private static final Instant THEN = Instant.parse("2020-02-02T02:02:02Z");

  static final OptionTable<EnvelopeOptionsTest> OPTIONS =
      new OptionTable<EnvelopeOptionsTest>()
          .of(EventEnvelope.Builder.class)
          .option("eventId(String)", EnvelopeOptionsTest::eventId)
          .option("occurredAt(Instant)", EnvelopeOptionsTest::occurredAt)
          .option("aggregateType(AggregateType)", EnvelopeOptionsTest::aggregateTypeOfAnEnum)
          .option("aggregateType(String)", EnvelopeOptionsTest::aggregateType)
          .option("aggregateId(String)", EnvelopeOptionsTest::aggregateId)
          .option("tenantId(String)", EnvelopeOptionsTest::tenantId)
          .option("idempotencyKey(UUID)", EnvelopeOptionsTest::idempotencyKeyOfUuid)
          .option("idempotencyKey(String)", EnvelopeOptionsTest::idempotencyKey)
          .option("correlationId(String)", EnvelopeOptionsTest::correlationId)
          .option("orderingKey(String)", EnvelopeOptionsTest::orderingKey)
          .option("dueAt(Instant)", EnvelopeOptionsTest::dueAt)
          .option("expiresAt(Instant)", EnvelopeOptionsTest::expiresAt)
          .option("header(String, String)", EnvelopeOptionsTest::header)
          .option("headers(Map)", EnvelopeOptionsTest::headers)
          .option("inboxEntry(InboxEntry)", EnvelopeOptionsTest::inboxEntry)
          .option("payloadJson(String)", EnvelopeOptionsTest::payloadJson)
          .option("payloadBytes(byte[])", EnvelopeOptionsTest::payloadBytes)
          .option("payload(Object, PayloadCodec)", EnvelopeOptionsTest::payload)
          .option("maxPayloadBytes(int)", EnvelopeOptionsTest::maxPayloadBytes);

  private final Outbox outbox = OutboxBuilder.of(connections(), store()).build();

  static Stream<OptionTable.Row<EnvelopeOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<EnvelopeOptionsTest> option)
      throws Exception {
    option.experiment().run(this);
  }

  @Test
  void everyOptionHasAnExperiment() {
    OPTIONS.assertComplete();
  }

  private static EventEnvelope.Builder builder() {
    return EventEnvelope.builder("Type").payloadJson("{}");
  }

  /** The event as the one who claims it gets it. */
  private EventEnvelope claimed(EventEnvelope.Builder builder) {
    MessageId id = outbox.enqueue(builder.build()).id();
    return outbox.claim(new OwnerToken("me"), Duration.ofMinutes(1), 100).stream()
        .filter(message -> message.id().equals(id))
        .map(OutboxMessage::envelope)
        .findFirst()
        .orElseThrow();
  }

  private void eventId() {
    assertThat(claimed(builder().eventId("order-1")).eventId()).isEqualTo("order-1");
    assertThat(claimed(builder()).eventId()).hasSize(26);
  }

  private void occurredAt() {
    assertThat(claimed(builder().occurredAt(THEN)).occurredAt()).isEqualTo(THEN);
    assertThat(claimed(builder()).occurredAt())
        .isBetween(Instant.now().minusSeconds(60), Instant.now());
  }

  private void aggregateTypeOfAnEnum() {
    assertThat(claimed(builder().aggregateType(StringAggregateType.of("Order"))).aggregateType())
        .isEqualTo("Order");
  }

  private void aggregateType() {
    assertThat(claimed(builder().aggregateType("Order")).aggregateType()).isEqualTo("Order");
    assertThat(claimed(builder()).aggregateType()).isNull();
  }

  private void aggregateId() {
    assertThat(claimed(builder().aggregateId("42")).aggregateId()).isEqualTo("42");
    assertThat(claimed(builder()).aggregateId()).isNull();
  }

  private void tenantId() {
    assertThat(claimed(builder().tenantId("t1")).tenantId()).isEqualTo("t1");
    assertThat(claimed(builder()).tenantId()).isNull();
  }

  private void idempotencyKeyOfUuid() {
    UUID key = UUID.randomUUID();
    MessageId first = outbox.enqueue(builder().idempotencyKey(key).build()).id();
    assertThat(outbox.enqueue(builder().idempotencyKey(key.toString()).build()).id())
        .isEqualTo(first);
  }

  private void idempotencyKey() {
    MessageId first = outbox.enqueue(builder().idempotencyKey("once").build()).id();
    assertThat(outbox.enqueue(builder().idempotencyKey("once").build()).id()).isEqualTo(first);
    assertThat(outbox.enqueue(builder().build()).id()).isNotEqualTo(first);
  }

  private void inboxEntry() {
    InboxEntry entry = new InboxEntry("shop", "4711", null, 1, null);
    assertThat(builder().inboxEntry(entry).build().withHeaders(Map.of("a", "b")).inboxEntry())
        .isEqualTo(entry);
    assertThat(claimed(builder().inboxEntry(entry)).inboxEntry()).isNull();
  }

  private void correlationId() {
    assertThat(claimed(builder().correlationId("c1")).correlationId()).isEqualTo("c1");
    assertThat(claimed(builder()).correlationId()).isNull();
  }

  private void orderingKey() {
    assertThat(claimed(builder().orderingKey("k")).orderingKey()).isEqualTo("k");
    MessageId behind = outbox.enqueue(builder().orderingKey("k").build()).id();
    assertThat(row(behind.value()).orElseThrow().status()).isEqualTo(EventStatus.WAITING);
    assertThat(claimed(builder()).orderingKey()).isNull();
  }

  private void dueAt() {
    MessageId later = outbox.enqueue(builder().dueAt(Instant.now().plusSeconds(60)).build()).id();
    assertThat(claimed(builder()).dueAt()).isNull();
    assertThat(row(later.value()).orElseThrow().owner()).isNull();
    advance(Duration.ofMinutes(2));
    claimed(builder());
    assertThat(row(later.value()).orElseThrow().owner()).isEqualTo("me");
  }

  private void expiresAt() {
    MessageId expiring =
        outbox.enqueue(builder().expiresAt(Instant.now().plusSeconds(60)).build()).id();
    advance(Duration.ofMinutes(2));
    assertThat(claimed(builder()).expiresAt()).isNull();
    assertThat(row(expiring.value()).orElseThrow().lastError()).isEqualTo("expired");
  }

  private void header() {
    assertThat(claimed(builder().header("a", "1").header("b", "2")).headers())
        .isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(claimed(builder()).headers()).isEmpty();
  }

  private void headers() {
    assertThat(claimed(builder().header("a", "1").headers(Map.of("b", "2"))).headers())
        .isEqualTo(Map.of("b", "2"));
  }

  private void payloadJson() {
    assertThat(claimed(builder().payloadJson("{\"n\":1}")).payloadJson()).isEqualTo("{\"n\":1}");
  }

  private void payloadBytes() {
    byte[] bytes = "binary".getBytes(StandardCharsets.UTF_8);
    assertThat(claimed(EventEnvelope.builder("Type").payloadBytes(bytes)).payloadBytes())
        .isEqualTo(bytes);
  }

  private void payload() {
    EventEnvelope.Builder builder = EventEnvelope.builder("Type").payload(7, new NumberCodec());
    assertThat(claimed(builder).payloadJson()).isEqualTo("7");
    assertThat(claimed(EventEnvelope.builder("Type").payload("7", new NumberCodec())).payloadJson())
        .isEqualTo("7");
  }

  private void maxPayloadBytes() {
    String largest = "x".repeat(1_048_576);
    claimed(builder().payloadJson(largest));
    assertThatThrownBy(() -> builder().payloadJson(largest + "x").build())
        .isInstanceOf(IllegalArgumentException.class);
    claimed(builder().maxPayloadBytes(1_048_577).payloadJson(largest + "x"));
    assertThatThrownBy(() -> builder().maxPayloadBytes(2).payloadJson("xxx").build())
        .isInstanceOf(IllegalArgumentException.class);
  }
}

package outbox.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;

class OutboxEventTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final InboxEntry ENTRY =
      new InboxEntry("shop", "4711", new byte[] {1}, 2, NOW.plusSeconds(1));

  @Test
  void whatWasSentAlongIsDecoded() {
    OutboxEvent event = event().headersJson("{\"trace\":\"1\"}").build();

    assertThat(event.headers()).containsExactly(Map.entry("trace", "1"));
    assertThat(event.headers()).isUnmodifiable();
    assertThat(event().build().headers()).isEmpty();
    assertThat(EventEnvelope.of(event).headers()).isEqualTo(event.headers());
    assertThat(event.withoutPayload().headers()).isEqualTo(event.headers());
  }

  @Test
  void whatWasSentAndCannotBeReadIsRefusedWithoutQuotingIt() {
    OutboxEvent event = event().headersJson("[\"secret\"]").build();

    assertThatThrownBy(event::headers)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret");
  }

  @Test
  void aBuilderOfAnEventChangesNothingElse() {
    OutboxEvent event = full().build();

    assertThat(event.toBuilder().build()).isEqualTo(event).hasSameHashCodeAs(event);
    assertThat(event.toBuilder().attempts(8).build()).isNotEqualTo(event);
    assertThat(event.toBuilder().attempts(8).build().toBuilder().attempts(7).build())
        .isEqualTo(event);
    assertThat(event).hasToString("OutboxEvent[id Type attempts=7]");
  }

  @Test
  void anEventLosesItsPayloadAndNothingElse() {
    OutboxEvent bytes = full().payloadJson(null).payloadBytes(new byte[] {1}).build();

    assertThat(full().build().withoutPayload()).isEqualTo(full().payloadJson(null).build());
    assertThat(bytes.withoutPayload()).isEqualTo(full().payloadJson(null).build());
  }

  @Test
  void anEnvelopeAndTheEventThatAStoreHoldsSayTheSame() {
    OutboxEvent event = full().build();

    assertThat(EventEnvelope.of(event).toEvent(NOW).attempts(7).build()).isEqualTo(event);
    assertThat(EventEnvelope.of(event).inboxEntry()).isEqualTo(ENTRY);
  }

  @Test
  void anEventOfVersion1OccurredWhenItWasStored() {
    assertThat(EventEnvelope.of(event().build()).occurredAt()).isEqualTo(NOW);
  }

  private static OutboxEvent.Builder event() {
    return OutboxEvent.builder("id", "Type", NOW).payloadJson("{}");
  }

  private static OutboxEvent.Builder full() {
    return event()
        .aggregateType("Order")
        .aggregateId("1")
        .tenantId("tenant")
        .idempotencyKey("key")
        .correlationId("correlation")
        .headersJson("{\"trace\":\"1\"}")
        .inboxEntry(ENTRY)
        .attempts(7)
        .occurredAt(NOW.minusSeconds(2))
        .dueAt(NOW.plusSeconds(3))
        .expiresAt(NOW.plusSeconds(4));
  }
}

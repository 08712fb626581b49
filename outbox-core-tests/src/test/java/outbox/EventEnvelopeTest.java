package outbox;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;

class EventEnvelopeTest {
  private static final int MEBIBYTE = 1_048_576;

  enum Events implements EventType {
    USER_CREATED
  }

  enum Aggregates implements AggregateType {
    USER
  }

  @Test
  @Spec({"FRM-29", "FRM-31", "FRM-32"})
  void fillsInWhatIsNotGiven() {
    Instant before = Instant.now();

    EventEnvelope event = EventEnvelope.ofJson("UserCreated", "{}");

    assertThat(event.eventId()).hasSize(26);
    assertThat(EventEnvelope.ofJson("UserCreated", "{}").eventId()).isGreaterThan(event.eventId());
    assertThat(event.occurredAt()).isBetween(before, Instant.now());
    assertThat(event.headers()).isEmpty();
    assertThat(event.aggregateType()).isNull();
    assertThat(event.aggregateId()).isNull();
    assertThat(event.tenantId()).isNull();
    assertThat(event.correlationId()).isNull();
    assertThat(event.dueAt()).isNull();
    assertThat(event.expiresAt()).isNull();
    assertThat(event.payloadBytes()).isNull();
  }

  @Test
  @Spec({"IDEM-07", "IDEM-08", "IDEM-09"})
  void hasTheKeyGivenOrItsIdForOne() {
    UUID key = UUID.fromString("942B04B7-13AF-DB05-99F2-C729C9329F58");
    EventEnvelope without = EventEnvelope.ofJson("UserCreated", "{}");
    EventEnvelope with =
        EventEnvelope.builder("UserCreated").idempotencyKey(key).payloadJson("{}").build();

    assertThat(without.idempotencyKey()).isEqualTo(without.eventId());
    assertThat(without.hasIdempotencyKey()).isFalse();
    assertThat(with.idempotencyKey()).isEqualTo("942b04b7-13af-db05-99f2-c729c9329f58");
    assertThat(with.hasIdempotencyKey()).isTrue();
  }

  @Test
  void aKeyThatCouldNotBeToldFromNoneIsRefused() {
    assertThatThrownBy(
            () ->
                EventEnvelope.builder("UserCreated")
                    .eventId("a")
                    .idempotencyKey("a")
                    .payloadJson("{}")
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("leave out eventId");
  }

  @Test
  @Spec({"FRM-37", "FRM-40"})
  void takesItsTypeFromAnEnumATextOrATypeMadeAtRunTime() {
    assertThat(EventEnvelope.builder(Events.USER_CREATED).payloadJson("{}").build().eventType())
        .isEqualTo("USER_CREATED");
    assertThat(EventEnvelope.ofJson(Events.USER_CREATED, "{}").eventType())
        .isEqualTo("USER_CREATED");
    assertThat(EventEnvelope.builder("UserCreated").payloadJson("{}").build().eventType())
        .isEqualTo("UserCreated");
    assertThat(EventEnvelope.ofJson(StringEventType.of("Dynamic"), "{}").eventType())
        .isEqualTo("Dynamic");
    EventEnvelope shorthand = EventEnvelope.ofJson("UserCreated", "{\"id\":1}");
    assertThat(shorthand.eventType()).isEqualTo("UserCreated");
    assertThat(shorthand.payloadJson()).isEqualTo("{\"id\":1}");
    assertThat(EventEnvelope.ofJson(Events.USER_CREATED, "[2]").payloadJson()).isEqualTo("[2]");
  }

  @Test
  @Spec("FRM-41")
  void takesItsAggregateTypeFromAnEnumOrATextToo() {
    assertThat(with(b -> b.aggregateType(Aggregates.USER)).aggregateType()).isEqualTo("USER");
    assertThat(with(b -> b.aggregateType("Custom")).aggregateType()).isEqualTo("Custom");
    assertThat(with(b -> b.aggregateType(StringAggregateType.of("Custom"))).aggregateType())
        .isEqualTo("Custom");
  }

  @Test
  @Spec({"FRM-40", "FRM-41"})
  void namesMadeAtRunTimeMustSaySomething() {
    assertThatThrownBy(() -> StringEventType.of("")).hasMessage("name must not be empty");
    assertThatThrownBy(() -> StringEventType.of(" ")).hasMessage("name must not be blank");
    assertThatThrownBy(() -> StringAggregateType.of("")).hasMessage("name must not be empty");
  }

  @Test
  @Spec({"FRM-30", "OBX-004"})
  @SuppressWarnings("NullAway")
  void needsAType() {
    assertThatThrownBy(() -> EventEnvelope.builder((String) null).payloadJson("{}").build())
        .isInstanceOf(NullPointerException.class)
        .hasMessage("eventType must not be null");
    assertThatThrownBy(() -> EventEnvelope.builder("").payloadJson("{}").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("eventType must not be empty");
    assertThatThrownBy(() -> EventEnvelope.builder("   ").payloadJson("{}").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("eventType must not be blank");
  }

  @Test
  void refusesAnEndBeforeItIsDue() {
    Instant due = Instant.parse("2026-01-02T03:04:05.000001Z");

    refuses(
        b -> b.dueAt(due).expiresAt(due),
        "expiresAt (2026-01-02T03:04:05.000001Z) must be after dueAt"
            + " (2026-01-02T03:04:05.000001Z), or the event could never be delivered");
    refuses(b -> b.dueAt(due).expiresAt(due.minusSeconds(1)), "must be after dueAt");
    refuses(b -> b.dueAt(due).expiresAt(due.plusNanos(999)), "must be after dueAt");
    assertThat(with(b -> b.dueAt(due).expiresAt(due.plusNanos(1000))).expiresAt()).isAfter(due);
  }

  @Test
  @Spec("FRM-33")
  void needsExactlyOnePayload() {
    assertThatThrownBy(() -> EventEnvelope.builder("Type").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("neither payloadJson nor payloadBytes is set");
    assertThatThrownBy(() -> with(b -> b.payloadBytes(new byte[1])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("both set");
  }

  @Test
  @Spec("FRM-34")
  void limitsThePayloadToAMebibyteCountedInBytes() {
    assertThat(with(b -> b.payloadJson("x".repeat(MEBIBYTE))).payloadSize()).isEqualTo(MEBIBYTE);
    assertThat(with(b -> b.payloadJson("é😀")).payloadSize()).isEqualTo(6);
    assertThatThrownBy(() -> with(b -> b.payloadJson("é".repeat(MEBIBYTE / 2) + "x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("payloadJson (1048577 bytes) must not exceed 1048576 bytes")
        .hasMessageContaining("maxPayloadBytes");
    assertThatThrownBy(
            () -> EventEnvelope.builder("Type").payloadBytes(new byte[MEBIBYTE + 1]).build())
        .hasMessageContaining("payloadBytes (1048577 bytes)");
    assertThat(
            with(b -> b.payloadJson("x".repeat(MEBIBYTE + 1)).maxPayloadBytes(MEBIBYTE + 1))
                .payloadSize())
        .isEqualTo(MEBIBYTE + 1);
  }

  @Test
  @Spec("FRM-36")
  void isImmutable() {
    byte[] bytes = {1, 2, 3};
    Map<String, String> headers = new HashMap<>(Map.of("a", "1"));
    EventEnvelope event =
        EventEnvelope.builder("Type").payloadBytes(bytes).headers(headers).build();

    bytes[0] = 9;
    headers.put("b", "2");
    byte[] given = requireNonNull(event.payloadBytes());
    given[1] = 9;

    assertThat(event.payloadBytes()).containsExactly(1, 2, 3);
    assertThat(event.headers()).containsOnlyKeys("a");
    assertThatThrownBy(() -> event.headers().put("c", "3"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  @Spec({"FRM-29", "FRM-36"})
  void isUntouchedByWhatItsBuilderMakesNext() {
    EventEnvelope.Builder builder =
        EventEnvelope.builder("Type").header("a", "1").payloadBytes(new byte[] {1});
    EventEnvelope first = builder.build();

    EventEnvelope second = builder.header("b", "2").payloadBytes(new byte[] {2}).build();

    assertThat(first.headers()).containsOnlyKeys("a");
    assertThat(first.payloadBytes()).containsExactly(1);
    assertThat(second.headers()).containsOnlyKeys("a", "b");
    assertThat(second.payloadBytes()).containsExactly(2);
    assertThat(second.eventId()).isGreaterThan(first.eventId());
    EventEnvelope more = first.withHeaders(Map.of("c", "3"));
    assertThat(first.headers()).containsOnlyKeys("a");
    assertThat(more.headers()).containsOnlyKeys("a", "c");
  }

  @Test
  @Spec({"FRM-26", "OBX-107"})
  void refusesWhatDoesNotFitItsColumn() {
    refuses(b -> b.eventId("x".repeat(37)), "eventId (37 characters) must not exceed 36");
    refuses(b -> b.eventId(""), "eventId must not be empty");
    refuses(b -> b.aggregateType("x".repeat(65)), "aggregateType (65 characters)");
    refuses(b -> b.aggregateId("x".repeat(129)), "aggregateId (129 characters)");
    refuses(b -> b.tenantId("x".repeat(65)), "tenantId (65 characters)");
    refuses(b -> b.correlationId("x".repeat(256)), "correlationId (256 characters)");
    assertThatThrownBy(() -> EventEnvelope.ofJson("x".repeat(256), "{}"))
        .hasMessageContaining("eventType (256 characters) must not exceed 255");
  }

  @Test
  void refusesTextThatNoDatabaseCanStore() {
    refuses(b -> b.payloadJson("a\0"), "payloadJson has a NUL character at index 1");
    refuses(b -> b.tenantId("\ud83d"), "tenantId has an unpaired surrogate at index 0");
    refuses(b -> b.aggregateId("x\ude00"), "aggregateId has an unpaired surrogate at index 1");
    refuses(b -> b.header("k", "\0"), "header 'k' has a NUL character");
  }

  @Test
  @SuppressWarnings("NullAway")
  void refusesHeadersThatCannotBeStored() {
    refuses(b -> b.header("", "v"), "header name must not be empty");
    refuses(b -> b.header("k", "x".repeat(65_536)), "must not exceed 65536 bytes in all");
    assertThatThrownBy(() -> with(b -> b.header("k", null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("header 'k' must not be null");
  }

  @Test
  @Spec("OBX-119")
  void neverShowsItsContent() {
    assertThat(with(b -> b.payloadJson("secret").header("h", "secret")).toString())
        .doesNotContain("secret")
        .contains("Type", "6 bytes");
  }

  @Test
  @Spec("FRM-28")
  void statusCodesAreThoseOfTheTable() {
    assertThat(EventStatus.values())
        .extracting(status -> status.code() + " " + status)
        .containsExactly("0 NEW", "1 DONE", "2 RETRY", "3 DEAD", "6 WAITING");
    for (EventStatus status : EventStatus.values()) {
      assertThat(EventStatus.ofCode(status.code())).isEqualTo(status);
    }
    assertThat(EventStatus.NEW.isLive() && EventStatus.RETRY.isLive()).isTrue();
    assertThat(EventStatus.DONE.isLive() || EventStatus.DEAD.isLive()).isFalse();
    assertThatThrownBy(() -> EventStatus.ofCode(4)).hasMessageContaining("status (4)");
  }

  private static void refuses(UnaryOperator<EventEnvelope.Builder> part, String message) {
    assertThatThrownBy(() -> with(part))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private static EventEnvelope with(UnaryOperator<EventEnvelope.Builder> part) {
    return part.apply(EventEnvelope.builder("Type").payloadJson("{}")).build();
  }
}

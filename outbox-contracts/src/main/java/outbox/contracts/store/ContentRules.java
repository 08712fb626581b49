package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.Failure;

/** What goes in comes out, byte for byte. */
interface ContentRules extends StoreUnderTest {
  /** Two, three and four bytes in UTF-8, a combining accent, right-to-left, a joined emoji. */
  String UNICODE = "äß €漢字 😀𝄞 e\u0301 שלום 👩\u200d🚀";

  @Test
  default void bytesOfEveryValueComeBack() {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }

    OutboxEvent claimed = insertAndClaim(EventEnvelope.builder("Type").payloadBytes(all));

    assertThat(claimed.payloadBytes()).isEqualTo(all);
    assertThat(claimed.payloadJson()).isNull();
  }

  @Test
  @Spec({"FRM-34", "OBX-108"})
  default void payloadsOfOneMebibyteComeBack() {
    byte[] bytes = new byte[EventEnvelope.MAX_PAYLOAD_BYTES];
    new Random(1).nextBytes(bytes);
    String text = "é".repeat(EventEnvelope.MAX_PAYLOAD_BYTES / 2);

    assertThat(insertAndClaim(EventEnvelope.builder("Type").payloadBytes(bytes)).payloadBytes())
        .isEqualTo(bytes);
    assertThat(
            text.equals(
                insertAndClaim(EventEnvelope.builder("Type").payloadJson(text)).payloadJson()))
        .isTrue();
  }

  @Test
  @Spec("OBX-005")
  default void anEmptyPayloadComesBackAsTheKindItWas() {
    OutboxEvent text = insertAndClaim(EventEnvelope.builder("Type").payloadJson(""));
    OutboxEvent bytes = insertAndClaim(EventEnvelope.builder("Type").payloadBytes(new byte[0]));

    assertThat(text.payloadJson()).isEmpty();
    assertThat(text.payloadBytes()).isNull();
    assertThat(bytes.payloadBytes()).isEmpty();
    assertThat(bytes.payloadJson()).isNull();
  }

  @Test
  default void textIsNeitherParsedNorNormalised() {
    for (String text :
        List.of(
            "{\"b\":1,  \"a\":2, \"a\":3}\n", "not JSON {", " 1.0 ", "null", "\"x\"", "\r\n\t")) {
      assertThat(insertAndClaim(EventEnvelope.builder("Type").payloadJson(text)).payloadJson())
          .isEqualTo(text);
    }
  }

  @Test
  default void everyTextColumnHoldsAllOfUnicode() {
    OutboxEvent claimed =
        insertAndClaim(
            EventEnvelope.builder("type " + UNICODE)
                .eventId("id 😀漢é")
                .aggregateType("aggregate " + UNICODE)
                .aggregateId("id " + UNICODE)
                .tenantId("tenant " + UNICODE)
                .correlationId("trace " + UNICODE)
                .header("name " + UNICODE, "value " + UNICODE)
                .payloadJson("payload " + UNICODE));

    assertThat(claimed.eventId()).isEqualTo("id 😀漢é");
    assertThat(claimed.eventType()).isEqualTo("type " + UNICODE);
    assertThat(claimed.aggregateType()).isEqualTo("aggregate " + UNICODE);
    assertThat(claimed.aggregateId()).isEqualTo("id " + UNICODE);
    assertThat(claimed.tenantId()).isEqualTo("tenant " + UNICODE);
    assertThat(claimed.correlationId()).isEqualTo("trace " + UNICODE);
    assertThat(EventEnvelope.of(claimed).headers())
        .containsEntry("name " + UNICODE, "value " + UNICODE);
    assertThat(claimed.payloadJson()).isEqualTo("payload " + UNICODE);
    abandon("me", new Failure(claimed.eventId(), Duration.ZERO, "error " + UNICODE));
    assertThat(stored(claimed.eventId()).lastError()).isEqualTo("error " + UNICODE);
    assertThat(claimIds("owner " + UNICODE)).containsExactly(claimed.eventId());
    assertThat(ack("owner " + UNICODE, claimed.eventId())).containsExactly(claimed.eventId());
  }

  @Test
  @Spec({"FRM-26", "OBX-107"})
  default void columnsHoldTheLongestValuesThatAnEnvelopeAllows() {
    OutboxEvent claimed =
        insertAndClaim(
            EventEnvelope.builder("漢".repeat(255))
                .eventId("漢".repeat(36))
                .aggregateType("漢".repeat(64))
                .aggregateId("漢".repeat(128))
                .tenantId("漢".repeat(64))
                .correlationId("漢".repeat(255))
                .payloadJson("{}"));

    assertThat(claimed.eventId()).hasSize(36);
    assertThat(claimed.eventType()).hasSize(255);
    assertThat(claimed.aggregateType()).hasSize(64);
    assertThat(claimed.aggregateId()).hasSize(128);
    assertThat(claimed.tenantId()).hasSize(64);
    assertThat(claimed.correlationId()).hasSize(255);
  }

  @Test
  default void idsAndTypesAreCaseSensitive() {
    insert(EventEnvelope.builder("Topic").eventId("abc").payloadJson("{}").build());
    insert(EventEnvelope.builder("TOPIC").eventId("ABC").payloadJson("{}").build());
    insert(EventEnvelope.builder("tópic").eventId("ábc").payloadJson("{}").build());

    assertThat(claim("me"))
        .extracting(claim -> claim.event().eventType())
        .containsExactlyInAnyOrder("Topic", "TOPIC", "tópic");
    assertThat(ack("ME", "abc")).isEmpty();
    assertThat(ack("me", "abc")).containsExactly("abc");
    assertThat(stored("ABC").owner()).isEqualTo("me");
    assertThat(stored("ábc").owner()).isEqualTo("me");
  }

  @Test
  @Spec("FRM-53")
  default void errorsAreCutAtFourThousandCharactersButNotInsideOne() {
    insert("long", "pair", "exact", "dead", "marked for retry", "marked dead");
    claim("me");
    String pairAcrossTheLimit = "x".repeat(3_999) + "😀 and more";

    abandon(
        "me",
        new Failure("long", Duration.ZERO, "é".repeat(5_000)),
        new Failure("pair", Duration.ZERO, pairAcrossTheLimit));
    markRetry("exact", now(), "x".repeat(4_000));
    markRetry("marked for retry", now(), "é".repeat(4_001));
    markDead("marked dead", "é".repeat(5_000));
    fail("me", new Failure("dead", Duration.ZERO, "x".repeat(100_000)));

    assertThat(stored("long").lastError()).isEqualTo("é".repeat(4_000));
    assertThat(stored("pair").lastError()).isEqualTo("x".repeat(3_999));
    assertThat(stored("exact").lastError()).isEqualTo("x".repeat(4_000));
    assertThat(stored("dead").lastError()).isEqualTo("x".repeat(4_000));
    assertThat(stored("marked for retry").lastError()).isEqualTo("é".repeat(4_000));
    assertThat(stored("marked dead").lastError()).isEqualTo("é".repeat(4_000));
  }

  @Test
  default void whatNoTextColumnCanHoldIsReplacedInErrors() {
    insert("a");
    claim("me");

    abandon("me", new Failure("a", Duration.ZERO, "nul \0, half a pair \ud83d!"));

    assertThat(stored("a").lastError()).isEqualTo("nul \ufffd, half a pair \ufffd!");
  }

  @Test
  @Spec("FRM-32")
  default void headersComeBackInTheirOrder() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("z", "last first");
    headers.put("a", "\"quoted\" \\ \n\t\r \b\f \u0001 /");
    headers.put("empty", "");

    Map<String, String> claimed =
        EventEnvelope.of(
                insertAndClaim(EventEnvelope.builder("Type").headers(headers).payloadJson("{}")))
            .headers();

    assertThat(List.copyOf(claimed.entrySet())).isEqualTo(List.copyOf(headers.entrySet()));
  }

  @Test
  default void malformedHeadersComeBackAsTheyAreForTheEngineToJudge() {
    insertByOldVersion("a", "{\"a\": 1}");

    OutboxEvent claimed = claimOnly("me").event();

    assertThat(claimed.headersJson()).isNotNull().contains("\"a\"").contains("1");
    assertThatThrownBy(() -> EventEnvelope.of(claimed))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("malformed");
  }

  @Test
  default void aRowOfAnOldVersionIsAnEventLikeAnyOther() {
    insertByOldVersion("a", "{\"k\": \"v\"}");

    EventEnvelope event = EventEnvelope.of(claimOnly("me").event());

    assertThat(event.eventType()).isEqualTo("Old");
    assertThat(event.headers()).containsExactly(Map.entry("k", "v"));
    assertThat(event.payloadJson()).isNotNull().contains("\"old\"");
    assertThat(event.occurredAt()).isEqualTo(stored("a").createdAt());
    assertThat(ack("me", "a")).containsExactly("a");
  }

  private OutboxEvent insertAndClaim(EventEnvelope.Builder event) {
    insert(event.build());
    return claimOnly("me").event();
  }
}

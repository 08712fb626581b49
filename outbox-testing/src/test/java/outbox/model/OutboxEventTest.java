package outbox.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutboxEventTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void whatTheStoreAddsCountsMoreThanWhatWasSent() {
    OutboxEvent event = event("{\"trace\":\"1\",\"own\":\"forged\"}", Map.of("own", "real"));

    assertThat(event.headers()).containsOnly(Map.entry("trace", "1"), Map.entry("own", "real"));
    assertThat(event.headers()).isUnmodifiable();
    assertThat(event.toEnvelope().headers()).isEqualTo(event.headers());
    assertThat(event.withoutPayload().headers()).isEqualTo(event.headers());
  }

  @Test
  void eitherMayBeMissing() {
    assertThat(event(null, Map.of()).headers()).isEmpty();
    assertThat(event(null, Map.of("own", "real")).headers()).containsOnlyKeys("own");
    assertThat(event("{\"trace\":\"1\"}", Map.of()).headers()).containsOnlyKeys("trace");
  }

  @Test
  void whatWasSentAndCannotBeReadIsRefusedWithoutQuotingIt() {
    assertThatThrownBy(() -> event("[\"secret\"]", Map.of("own", "real")).headers())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret");
  }

  private static OutboxEvent event(@Nullable String headersJson, Map<String, String> added) {
    return new OutboxEvent(
        "id",
        "Type",
        null,
        null,
        null,
        null,
        null,
        "{}",
        null,
        headersJson,
        added,
        0,
        null,
        null,
        null,
        NOW);
  }
}

package outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.model.InboxEntry;
import outbox.model.OutboxEvent;

class InboxMessageTest {
  private static final Instant FIRST = Instant.parse("2026-01-01T00:00:05Z");

  @Test
  void isNeverLastSeenBeforeItWasFirstSeen() {
    assertThat(InboxMessage.lastSeen(FIRST, null)).isEqualTo(FIRST);
    assertThat(InboxMessage.lastSeen(FIRST, FIRST.plusSeconds(1))).isEqualTo(FIRST.plusSeconds(1));
    assertThat(InboxMessage.lastSeen(FIRST, FIRST.minusSeconds(5))).isEqualTo(FIRST);
  }

  @Test
  void showsItsIdentityOnlyAndSaysWhatItLacks() {
    InboxKey key = new InboxKey("shop", "4711");
    InboxMessage full = message(key, "orders", "secret");
    InboxMessage bare = message(key, null, null);

    assertThat(full).hasToString("InboxMessage[shop/4711 SEEN attempt=3]");
    assertThat(full.source()).isEqualTo("shop");
    assertThat(full.messageId()).isEqualTo("4711");
    assertThat(full.topic()).isEqualTo("orders");
    assertThat(full.payload()).isEqualTo("secret");
    assertThat(full.hasPayload()).isTrue();
    assertThat(bare.hasPayload()).isFalse();
    assertThatThrownBy(bare::topic)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("message shop/4711 is SEEN and has no topic now");
    assertThatThrownBy(bare::payload)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("message shop/4711 is SEEN and has no payload now");
  }

  @Test
  void headersThatCannotBeReadAreLeftOut() {
    OutboxEvent event =
        OutboxEvent.builder("id", "orders", FIRST)
            .payloadJson("{}")
            .headersJson("[1]")
            .inboxEntry(new InboxEntry("shop", "4711", new byte[] {1, 2}, 3, FIRST.plusSeconds(1)))
            .attempts(2)
            .build();

    InboxMessage message = InboxMessage.of(event, InboxStatus.DEAD, "broken");

    assertThat(message.key()).isEqualTo(new InboxKey("shop", "4711"));
    assertThat(message.headers()).isEmpty();
    assertThat(message.attempt()).isEqualTo(2);
    assertThat(message.hash()).containsExactly(1, 2);
    assertThat(message.contentVersion()).isEqualTo(3);
    assertThat(message.lastSeen()).isEqualTo(FIRST.plusSeconds(1));
  }

  private static InboxMessage message(
      InboxKey key, @Nullable String topic, @Nullable String payload) {
    return new InboxMessage(
        key, InboxStatus.SEEN, topic, payload, null, 3, 1, FIRST, FIRST, null, null);
  }
}

package outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class InboundMessageTest {
  private static final InboxKey KEY = new InboxKey("shop", "4711");

  @Test
  void hashHasALimitAndIsCopied() {
    byte[] longest = new byte[1024];
    InboundMessage message = InboundMessage.of(KEY, "orders", "{}").withHash(longest);
    longest[0] = 1;

    assertThat(message.hash()).hasSize(1024).containsOnly(0);
    assertThatThrownBy(() -> InboundMessage.of(KEY, "orders", "{}").withHash(new byte[1025]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("hash (1025 bytes) must not exceed 1024");
    assertThat(InboundMessage.of(KEY, "orders", "{}").hash()).isNull();
  }

  @Test
  void payloadMayHaveAsManyBytesAsTheInboxAllows() {
    InboundMessage message = InboundMessage.of(KEY, "orders", "\u00FCb");

    assertThat(message.within(3)).isSameAs(message);
    assertThatThrownBy(() -> message.within(2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("payload (3 bytes) must not exceed 2 bytes");
  }

  @Test
  void headersMayBeAsLongAsTheLimit() {
    String longest = "x".repeat(8192 - "trace".length());
    InboundMessage message = InboundMessage.of(KEY, "orders", "{}");

    assertThat(message.withHeaders(Map.of("trace", longest)).within(10).headers())
        .isEqualTo(Map.of("trace", longest));
    assertThatThrownBy(() -> message.withHeaders(Map.of("trace", longest + "x")).within(10))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("header 'trace'");
  }

  @Test
  void headersThatItHasStayAsTheyAre() {
    InboundMessage message =
        InboundMessage.of(KEY, "orders", "{}").withHeaders(Map.of("trace", "1"));

    assertThat(message.withHeaders(Map.of("trace", "2"))).isSameAs(message);
    assertThat(message.withHeaders(Map.of("trace", "2", "user", "3")).headers())
        .isEqualTo(Map.of("trace", "1", "user", "3"));
  }

  @Test
  void keyAndTopicHaveALength() {
    String longest = "x".repeat(255);

    assertThat(new InboxKey(longest, longest)).hasToString(longest + "/" + longest);
    assertThat(InboundMessage.of(KEY, longest, "").topic()).isEqualTo(longest);
    assertThatThrownBy(() -> new InboxKey(longest + "x", "1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("source");
    assertThatThrownBy(() -> new InboxKey("shop", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("messageId must not be null or empty");
    assertThatThrownBy(() -> InboundMessage.of(KEY, " ", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("topic must not be blank");
  }

  @Test
  void showsItsIdentityOnly() {
    assertThat(InboundMessage.of(KEY, "orders", "secret"))
        .hasToString("InboundMessage[shop/4711 orders]");
  }
}

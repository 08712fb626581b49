package outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class InboxMessageTest {
  private static final Instant FIRST = Instant.parse("2026-01-01T00:00:05Z");

  @Test
  void isNeverLastSeenBeforeItWasFirstSeen() {
    assertThat(InboxMessage.lastSeen(FIRST, null)).isEqualTo(FIRST);
    assertThat(InboxMessage.lastSeen(FIRST, FIRST.plusSeconds(1))).isEqualTo(FIRST.plusSeconds(1));
    assertThat(InboxMessage.lastSeen(FIRST, FIRST.minusSeconds(5))).isEqualTo(FIRST);
  }
}

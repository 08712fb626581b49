package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Claimed;

/** Events past their expiry are not handed out. */
interface ExpiryRules extends StoreUnderTest {

  @Test
  default void expiredEventsEndInsteadOfBeingClaimed() {
    insert(expiringIn("claimed", 10));
    insert(expiringIn("by id", 10));
    insert(expiringIn("live", 1000));
    advance(Duration.ofSeconds(11));

    assertThat(claimById("me", "by id")).isEmpty();
    Claimed claimed = claim(request("me", 10));

    assertThat(ids(claimed.events())).containsExactly("live");
    assertThat(claimed.expired()).isEqualTo(1);
    for (String id : List.of("claimed", "by id")) {
      assertThat(stored(id).status()).isEqualTo(EventStatus.DEAD);
      assertThat(stored(id).lastError()).isEqualTo(LeasedEventStore.EXPIRED);
      assertThat(stored(id).attempts()).isEqualTo(1);
      assertThat(stored(id).owner()).isNull();
    }
  }

  private EventEnvelope expiringIn(String id, int seconds) {
    return EventEnvelope.builder("Type")
        .eventId(id)
        .payloadJson("{}")
        .expiresAt(now().plusSeconds(seconds))
        .build();
  }
}

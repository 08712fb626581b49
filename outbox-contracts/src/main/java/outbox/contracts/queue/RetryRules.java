package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.model.MessageId;

/** How often a message is tried, and when. */
interface RetryRules extends QueueUnderTest {

  @Test
  @Spec({"OBX-031", "OBX-055", "OBX-056"})
  default void aBareAbandonDoublesTheDelayUpToAMinute() {
    MessageId id = enqueue("topic");
    for (long seconds : List.of(2, 4, 8, 16, 32, 60, 60)) {
      assertThat(claimOnly(ME).id()).isEqualTo(id);
      Instant before = now();

      assertThat(outbox().abandon(ME, List.of(id))).containsExactly(id);

      assertThat(stored(id).availableAt())
          .isBetween(before.plusSeconds(seconds), now().plusSeconds(seconds));
      advance(Duration.ofSeconds(seconds + 1));
    }
    assertThat(stored(id).attempts()).isEqualTo(7);
  }

  @Test
  @Spec({"OBX-031", "OBX-035", "OBX-055"})
  default void eachMessageOfABatchHasItsOwnDelay() {
    MessageId old = enqueue("topic");
    claimOnly(ME);
    outbox().abandon(ME, List.of(old), "busy", Duration.ZERO);
    MessageId young = enqueue("topic");
    assertThat(claim(ME)).hasSize(2);
    Instant before = now();

    assertThat(outbox().abandon(ME, List.of(old, young), "again", null))
        .containsExactlyInAnyOrder(old, young);

    assertThat(stored(young).availableAt()).isBetween(before.plusSeconds(2), now().plusSeconds(2));
    assertThat(stored(old).availableAt()).isBetween(before.plusSeconds(4), now().plusSeconds(4));
    assertThat(stored(old).lastError()).isEqualTo("again");
  }

  @Test
  @Spec("OBX-057")
  default void thePolicyOfTheDelaysCanBeReplaced() {
    MessageId id = enqueue("topic");
    claimOnly(ME);
    Instant before = now();

    builder().backoff(attempts -> 77_000L * attempts).build().abandon(ME, List.of(id));

    assertThat(stored(id).availableAt()).isBetween(before.plusSeconds(77), now().plusSeconds(77));
  }

  @Test
  @Spec({"OBX-058", "OBX-059"})
  default void theTenthDeliveryIsTheLast() {
    assertThat(OutboxBuilder.DEFAULT_MAX_ATTEMPTS).isEqualTo(10);
    MessageId id = enqueue("topic");
    for (int delivery = 1; delivery <= 10; delivery++) {
      assertThat(claimOnly(ME).retryCount()).isEqualTo(delivery - 1);
      assertThat(outbox().abandon(ME, List.of(id))).containsExactly(id);
      advance(Duration.ofSeconds(61));
    }

    assertThat(claim(ME)).isEmpty();
    assertThat(stored(id).status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored(id).attempts()).isEqualTo(10);
    assertThat(stored(id).lastError()).isEqualTo("failed 10 times");
  }

  @Test
  @Spec("OBX-059")
  default void theNumberOfDeliveriesCanBeSet() {
    List<MessageId> ids = enqueue("topic", 2);
    Outbox twice = builder().maxAttempts(2).build();
    claim(ME);
    twice.abandon(ME, ids.subList(0, 1));
    advance(Duration.ofSeconds(3));
    claim(ME);

    assertThat(twice.abandon(ME, ids, "out of reach", null))
        .containsExactlyInAnyOrderElementsOf(ids);

    assertThat(stored(ids.get(0)).status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored(ids.get(0)).lastError()).isEqualTo("out of reach");
    assertThat(stored(ids.get(1)).status()).isEqualTo(EventStatus.RETRY);
    assertThatThrownBy(() -> builder().maxAttempts(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxAttempts (0)");
  }

  @Test
  default void aDelayOfTheCallersOwnNeverEndsAMessage() {
    MessageId id = enqueue("topic");
    Outbox once = builder().maxAttempts(1).build();
    claimOnly(ME);

    once.abandon(ME, List.of(id), "busy", Duration.ZERO);

    assertThat(stored(id).status()).isEqualTo(EventStatus.RETRY);
  }

  @Test
  default void aRetryKeepsToTheDueTime() {
    MessageId id = outbox().enqueue("topic", "{}", facts -> facts.dueAt(now().plusSeconds(1))).id();
    advance(Duration.ofSeconds(2));
    claimOnly(ME);
    advance(Duration.ofSeconds(-1));

    outbox().abandon(ME, List.of(id), null, Duration.ZERO);

    assertThat(stored(id).availableAt()).isAfterOrEqualTo(stored(id).createdAt().plusMillis(900));
  }
}

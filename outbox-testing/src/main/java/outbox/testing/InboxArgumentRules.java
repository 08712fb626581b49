package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxWorkStore;
import outbox.model.OwnerToken;

/** What is refused, and that the refusal says why. */
interface InboxArgumentRules extends InboxUnderTest {

  @Test
  @Spec({"IBX-009", "IBX-010", "IBX-011", "IBX-012", "IBX-016", "IBX-017"})
  @SuppressWarnings("NullAway")
  default void aKeyHasASourceAndAnIdOfReasonableLength() {
    Inbox inbox = inbox();
    String longest = "x".repeat(255);

    refused(() -> inbox.alreadyProcessed(null, "shop"), "messageId");
    refused(() -> inbox.alreadyProcessed("", "shop"), "messageId");
    refused(() -> inbox.alreadyProcessed("id", null), "source");
    refused(() -> inbox.alreadyProcessed("id", ""), "source");
    refused(() -> inbox.alreadyProcessed(longest + "x", "shop"), "messageId (256 characters)");
    refused(() -> inbox.alreadyProcessed("id", longest + "x"), "source (256 characters)");
    refused(() -> inbox.enqueue("topic", null, "id", "{}"), "source");
    refused(() -> inbox.enqueue("topic", "", "id", "{}"), "source");
    refused(() -> inbox.enqueue("topic", "shop", null, "{}"), "messageId");
    refused(() -> inbox.enqueue("topic", "shop", "", "{}"), "messageId");
    refused(() -> inbox.receive("topic", "shop", "a\0b", "{}", null), "NUL");
    inbox.enqueue(longest, longest, longest, "{}");
    assertThat(claimOnly(ME).key()).isEqualTo(new InboxKey(longest, longest));
  }

  @Test
  @Spec({"IBX-015", "IBX-018", "IBX-019", "IBX-020", "IBX-022", "IBX-118"})
  @SuppressWarnings("NullAway")
  default void aMessageHasATopicAndAPayloadOfAnyFormat() {
    Inbox inbox = inbox();
    refused(() -> inbox.enqueue(null, "shop", "id", "{}"), "topic");
    refused(() -> inbox.enqueue("", "shop", "id", "{}"), "topic");
    refused(() -> inbox.enqueue(" ", "shop", "id", "{}"), "topic must not be blank");
    refused(() -> inbox.enqueue("x".repeat(256), "shop", "id", "{}"), "topic (256 characters)");
    refused(() -> inbox.enqueue("topic", "shop", "id", null), "payload");
    refused(
        () ->
            Inbox.builder(connections(), store())
                .maxPayloadBytes(3)
                .build()
                .enqueue("topic", "shop", "id", "four"),
        "payload (4 bytes)");

    for (String payload : List.of("", "no json {", "öß 😀", "x".repeat(200_000))) {
      inbox.enqueue("topic", "shop", "id" + payload.length(), payload);
      assertThat(claimOnly(ME).payload()).isEqualTo(payload);
    }
  }

  @Test
  @Spec("IBX-118")
  default void aPayloadMayBeAsLargeAsTheInboxIsSetTo() {
    String large = "x".repeat(3 << 20);

    refused(() -> inbox().enqueue("topic", "shop", "id", large), "maxPayloadBytes");
    Inbox.builder(connections(), store())
        .maxPayloadBytes(large.length())
        .build()
        .enqueue("topic", "shop", "id", large);

    assertThat(claimOnly(ME).payload()).isEqualTo(large);
  }

  @Test
  default void aHashIsNoSecondPayload() {
    refused(() -> inbox().alreadyProcessed(KEY, new byte[1025]), "hash (1025 bytes)");
  }

  @Test
  @Spec({"IBX-040", "IBX-041", "IBX-043", "IBX-130"})
  @SuppressWarnings("NullAway")
  default void aClaimNeedsAnOwnerALeaseAndASize() {
    InboxWorkStore work = work();
    refused(() -> work.claim(ME, Duration.ZERO, 1), "lease");
    refused(() -> work.claim(ME, Duration.ofSeconds(-1), 1), "lease");
    refused(() -> work.claim(ME, LEASE, 0), "batchSize (0)");
    refused(() -> work.claim(ME, LEASE, -1), "batchSize (-1)");
    missing(() -> work.claim(null, LEASE, 1), "owner");
    refused(() -> new OwnerToken(""), "owner token");
    refused(() -> new OwnerToken("  \t"), "owner token");
    refused(() -> new OwnerToken(new UUID(0, 0).toString()), "zero UUID");
  }

  @Test
  @Spec({"IBX-048", "IBX-058", "IBX-059", "IBX-066", "IBX-067", "IBX-130"})
  @SuppressWarnings("NullAway")
  default void transitionsNeedAnOwnerAndMessagesAndAnErrorToFailWith() {
    InboxWorkStore work = work();
    List<InboxMessage> messages = held(KEY);
    missing(() -> work.ack(ME, null), "messages");
    missing(() -> work.abandon(ME, null), "messages");
    missing(() -> work.abandon(ME, null, "error", LEASE), "messages");
    missing(() -> work.fail(ME, null, "error"), "messages");
    missing(() -> work.fail(ME, messages, null), "error");
    missing(() -> work.ack(null, messages), "owner");
    missing(() -> work.abandon(null, messages), "owner");
    missing(() -> work.fail(null, messages, "error"), "owner");
    refused(() -> work.abandon(ME, messages, null, Duration.ZERO), "delay (PT0S)");
    refused(() -> work.abandon(ME, messages, null, Duration.ofSeconds(-1)), "delay (PT-1S)");
    assertThat(work.ack(ME, List.of())).isEmpty();
    assertThat(work.abandon(ME, List.of())).isEmpty();
    assertThat(work.fail(ME, List.of(), "error")).isEmpty();
  }

  private static void refused(ThrowingCallable call, String message) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private static void missing(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessageContaining(message);
  }
}

package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.inbox.InboundMessage;
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

    refused(() -> inbox.alreadyProcessed(new InboxKey("shop", null), null), "messageId");
    refused(() -> inbox.alreadyProcessed(new InboxKey("shop", ""), null), "messageId");
    refused(() -> inbox.alreadyProcessed(new InboxKey(null, "id"), null), "source");
    refused(() -> inbox.alreadyProcessed(new InboxKey("", "id"), null), "source");
    refused(
        () -> inbox.alreadyProcessed(new InboxKey("shop", longest + "x"), null),
        "messageId (256 characters)");
    refused(
        () -> inbox.alreadyProcessed(new InboxKey(longest + "x", "id"), null),
        "source (256 characters)");
    refused(
        () -> inbox.enqueue(InboundMessage.of(new InboxKey(null, "id"), "topic", "{}")), "source");
    refused(
        () -> inbox.enqueue(InboundMessage.of(new InboxKey("", "id"), "topic", "{}")), "source");
    refused(
        () -> inbox.enqueue(InboundMessage.of(new InboxKey("shop", null), "topic", "{}")),
        "messageId");
    refused(
        () -> inbox.enqueue(InboundMessage.of(new InboxKey("shop", ""), "topic", "{}")),
        "messageId");
    refused(() -> inbox.receive(new InboxKey("shop", "a\0b"), "topic", "{}"), "NUL");
    inbox.enqueue(InboundMessage.of(new InboxKey(longest, longest), longest, "{}"));
    assertThat(claimOnly(ME).key()).isEqualTo(new InboxKey(longest, longest));
  }

  @Test
  @Spec({"IBX-015", "IBX-018", "IBX-019", "IBX-020", "IBX-022", "IBX-118"})
  @SuppressWarnings("NullAway")
  default void aMessageHasATopicAndAPayloadOfAnyFormat() {
    Inbox inbox = inbox();
    refused(
        () -> inbox.enqueue(InboundMessage.of(new InboxKey("shop", "id"), null, "{}")), "topic");
    refused(() -> inbox.enqueue(InboundMessage.of(new InboxKey("shop", "id"), "", "{}")), "topic");
    refused(
        () -> inbox.enqueue(InboundMessage.of(new InboxKey("shop", "id"), " ", "{}")),
        "topic must not be blank");
    refused(
        () -> inbox.enqueue(InboundMessage.of(new InboxKey("shop", "id"), "x".repeat(256), "{}")),
        "topic (256 characters)");
    refused(
        () -> inbox.enqueue(InboundMessage.of(new InboxKey("shop", "id"), "topic", null)),
        "payload");
    refused(
        () ->
            Inbox.builder(connections(), store())
                .maxPayloadBytes(3)
                .build()
                .enqueue(InboundMessage.of(new InboxKey("shop", "id"), "topic", "four")),
        "payload (4 bytes)");

    for (String payload : List.of("", "no json {", "öß 😀", "x".repeat(200_000))) {
      inbox.enqueue(
          InboundMessage.of(new InboxKey("shop", "id" + payload.length()), "topic", payload));
      assertThat(claimOnly(ME).payload()).isEqualTo(payload);
    }
  }

  @Test
  @Spec("IBX-118")
  default void aPayloadMayBeAsLargeAsTheInboxIsSetTo() {
    String large = "x".repeat(3 << 20);

    refused(
        () -> inbox().enqueue(InboundMessage.of(new InboxKey("shop", "id"), "topic", large)),
        "maxPayloadBytes");
    Inbox.builder(connections(), store())
        .maxPayloadBytes(large.length())
        .build()
        .enqueue(InboundMessage.of(new InboxKey("shop", "id"), "topic", large));

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

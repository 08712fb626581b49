package outbox.contracts.inbox;

import static outbox.contracts.inbox.InboxUnderTest.ME;
import static outbox.contracts.inbox.InboxUnderTest.bytes;

import java.time.Duration;
import java.util.List;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxWorkStore;

/**
 * Each state that a message can be in, and the calls that bring it there. Its hash is {@link
 * #HASH}; its content, if it has any, is {@link #TOPIC} and {@link #PAYLOAD}.
 */
enum InboxStage {
  SEEN(InboxStatus.SEEN, false),
  BEGUN_BY_HAND(InboxStatus.PROCESSING, false),
  WAITING(InboxStatus.PROCESSING, true),
  LEASED(InboxStatus.PROCESSING, true),
  ABANDONED(InboxStatus.PROCESSING, true),
  FAILED(InboxStatus.DEAD, true),
  DEAD_BY_HAND(InboxStatus.DEAD, false),
  ACKNOWLEDGED(InboxStatus.DONE, true),
  DONE_BY_HAND(InboxStatus.DONE, false);

  static final String TOPIC = "first";
  static final String PAYLOAD = "one";
  static final byte[] HASH = bytes("h1");

  final InboxStatus status;
  final boolean hasContent;

  InboxStage(InboxStatus status, boolean hasContent) {
    this.status = status;
    this.hasContent = hasContent;
  }

  /** Whether the next content becomes this message's first. */
  boolean awaitsContent() {
    return this == SEEN || this == BEGUN_BY_HAND;
  }

  /** Brings a new message to this stage. */
  InboxKey reach(InboxUnderTest under, String messageId) {
    InboxKey key = new InboxKey("shop", messageId);
    if (hasContent) {
      under.inbox().enqueue(InboundMessage.of(key, TOPIC, PAYLOAD).withHash(HASH));
    } else {
      under.inbox().alreadyProcessed(key, HASH);
    }
    if (hasContent && this != WAITING) {
      lease(under, key);
    }
    end(under, key);
    return key;
  }

  private static void lease(InboxUnderTest under, InboxKey key) {
    under
        .connections()
        .inAutoCommit(
            connection -> {
              List<String> ids =
                  List.copyOf(under.store().eventIds(connection, List.of(key)).values());
              return under
                  .store()
                  .events()
                  .claimById(connection, ME.value(), InboxUnderTest.LEASE, ids);
            });
  }

  private void end(InboxUnderTest under, InboxKey key) {
    Inbox inbox = under.inbox();
    InboxWorkStore work = under.work();
    switch (this) {
      case SEEN, WAITING, LEASED -> {}
      case BEGUN_BY_HAND -> inbox.markProcessing(key);
      case ABANDONED -> work.abandon(ME, under.held(key), "no route", Duration.ofSeconds(30));
      case FAILED -> work.fail(ME, under.held(key), "no such account");
      case DEAD_BY_HAND -> inbox.markDead(key);
      case ACKNOWLEDGED -> work.ack(ME, under.held(key));
      case DONE_BY_HAND -> inbox.markProcessed(key);
    }
  }
}

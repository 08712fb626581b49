package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.Bulk;
import outbox.contracts.support.Spec;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.ReceiveResult.Kind;
import outbox.model.DeadLetter;
import outbox.model.DeadLetterFilter;

/** Messages that are moved by hand, and dead ones that are given another life. */
interface InboxMarkRules extends InboxUnderTest {

  @Test
  @Spec({"IBX-031", "IBXU-01"})
  default void aMessageWithoutTopicIsNeverClaimed() {
    inbox().alreadyProcessed(KEY, null);
    assertThat(claim(ME)).isEmpty();

    assertThat(inbox().markProcessing(new InboxKey("shop", "message-1"))).isTrue();
    assertThat(status(KEY)).isEqualTo(InboxStatus.PROCESSING);
    assertThat(claim(ME)).isEmpty();
    connections()
        .inAutoCommit(
            connection -> {
              List<String> ids = List.copyOf(store().eventIds(connection, List.of(KEY)).values());
              assertThat(ids).hasSize(1);
              assertThat(store().events().claimById(connection, "me", LEASE, ids)).isEmpty();
              return ids;
            });

    enqueue(KEY, "{}");
    assertThat(claimOnly(ME).key()).isEqualTo(KEY);
    assertThat(stored(KEY).contentVersion()).isEqualTo(1);
  }

  @Test
  @Spec("IBXU-01")
  default void whoProcessesByHandMarksTheEnd() {
    inbox().alreadyProcessed(KEY, null);
    inbox().markProcessing(KEY);

    assertThat(inbox().markProcessed(new InboxKey("shop", "message-1"))).isTrue();
    assertThat(status(KEY)).isEqualTo(InboxStatus.DONE);
    assertThat(inbox().markProcessed(KEY)).isFalse();
    assertThat(inbox().markDead(KEY)).isFalse();
    assertThat(inbox().markProcessing(KEY)).isFalse();
    assertThat(status(KEY)).isEqualTo(InboxStatus.DONE);

    InboxKey unknown = new InboxKey("shop", "unknown");
    assertThat(inbox().markProcessed(unknown)).isFalse();
    assertThat(work().get(unknown)).isEmpty();
  }

  @Test
  @Spec("IBXU-01")
  default void aMarkTakesTheMessageFromWhoeverHandlesIt() {
    enqueue(KEY, "{}");
    claimOnly(ME);

    assertThat(inbox().markDead(new InboxKey("shop", "message-1"))).isTrue();

    assertThat(owner(KEY)).isNull();
    assertThat(work().ack(ME, held(KEY))).isEmpty();
    assertThat(status(KEY)).isEqualTo(InboxStatus.DEAD);
  }

  @Test
  @Spec("IBXU-01")
  default void aMarkIsForItsMessageOnly() {
    List<InboxKey> neighbours =
        List.of(new InboxKey("shop", "other"), new InboxKey("other", "message-1"));
    for (InboxKey key : List.of(neighbours.get(0), KEY, neighbours.get(1))) {
      inbox().alreadyProcessed(key, null);
    }

    inbox().markProcessing(KEY);
    assertThat(neighbours).extracting(this::status).containsOnly(InboxStatus.SEEN);
    inbox().receive(inbound(KEY, "topic", "{}"));
    assertThat(neighbours).extracting(this::status).containsOnly(InboxStatus.SEEN);
    inbox().markDead(KEY);
    assertThat(neighbours).extracting(this::status).containsOnly(InboxStatus.SEEN);
    neighbours.forEach(inbox()::markDead);
    inbox().replay(KEY, "ann");
    assertThat(neighbours).extracting(this::status).containsOnly(InboxStatus.DEAD);
    neighbours.forEach(key -> inbox().replay(key, "ann"));
    inbox().markProcessed(KEY);
    assertThat(neighbours).extracting(this::status).containsOnly(InboxStatus.SEEN);
  }

  @Test
  @Spec("IBXU-01")
  default void aMarkEndsTheLeaseAndTheAttempt() {
    enqueue(KEY, "{}");
    claimOnly(ME);
    work().abandon(ME, held(KEY), "busy", Duration.ofSeconds(1));
    advance(Duration.ofSeconds(2));
    claimOnly(OTHER);

    inbox().markProcessed(KEY);

    assertThat(owner(KEY)).isNull();
    assertThat(stored(KEY).lastError()).isNull();
    assertThat(processedBy(KEY)).isEqualTo(OTHER.value());
  }

  @Test
  @Spec("IBXU-01")
  default void aMessageToBeTriedAgainIsMarkedDeadOnce() {
    enqueue(KEY, "{}");
    claimOnly(ME);
    work().abandon(ME, held(KEY), "busy", Duration.ofSeconds(1));

    assertThat(inbox().markDead(KEY)).isTrue();
    assertThat(inbox().markDead(KEY)).isFalse();
  }

  private @Nullable String processedBy(InboxKey key) {
    return connections()
        .inAutoCommit(
            connection ->
                store()
                    .events()
                    .inspect(connection, store().eventIds(connection, List.of(key)).values())
                    .values()
                    .iterator()
                    .next())
        .processedBy();
  }

  @Test
  default void deadStaysDeadUntilItIsReplayedWithAllItsAttempts() {
    enqueue(KEY, "{}");
    claimOnly(ME);
    work().fail(ME, held(KEY), "broken");
    enqueue(KEY, "new content");
    inbox().receive(inbound(KEY, "topic", "newer"));
    assertThat(inbox().markProcessed(KEY)).isFalse();
    assertThat(status(KEY)).isEqualTo(InboxStatus.DEAD);
    assertThat(claim(ME)).isEmpty();

    assertThat(inbox().replay(KEY, "ann")).isTrue();

    InboxMessage replayed = claimOnly(ME);
    assertThat(replayed.payload()).isEqualTo("new content");
    assertThat(replayed.attempt()).isZero();
    assertThat(inbox().replay(KEY, "ann")).isFalse();
    assertThat(owner(KEY)).isEqualTo(ME.value());
  }

  @Test
  default void theDeadAreReplayedByListAndByFilter() {
    InboxKey a1 = dead("a", "1", "x");
    InboxKey a2 = dead("a", "2", "y");
    InboxKey b1 = dead("b", "1", "x");
    InboxKey b2 = dead("b", "2", "y");
    InboxKey onlySeen = new InboxKey("b", "3");
    inbox().alreadyProcessed(onlySeen, null);
    inbox().markDead(onlySeen);
    InboxKey alive = new InboxKey("b", "4");
    inbox().enqueue(InboundMessage.of(new InboxKey("b", "4"), "y", "{}"));

    assertThat(inbox().replay(List.of(a1, alive, new InboxKey("b", "unknown"), a1), "ann"))
        .containsExactly(a1);
    assertThat(status(a1)).isEqualTo(InboxStatus.PROCESSING);
    assertThat(replay(DeadLetterFilter.all().source("b").topic("x"))).isEqualTo(1);
    assertThat(status(b1)).isEqualTo(InboxStatus.PROCESSING);
    assertThat(replay(DeadLetterFilter.all().topic("y"))).isEqualTo(2);
    assertThat(status(a2)).isEqualTo(InboxStatus.PROCESSING);
    assertThat(status(b2)).isEqualTo(InboxStatus.PROCESSING);
    assertThat(replay(DeadLetterFilter.all())).isEqualTo(1);
    assertThat(status(onlySeen)).isEqualTo(InboxStatus.SEEN);
    assertThat(replay(DeadLetterFilter.all())).isZero();
    assertThat(inbox().replay(List.of(), "ann")).isEmpty();
  }

  private long replay(DeadLetterFilter filter) {
    return inbox().deadLetters().replay(filter, Bulk.by("alice").batchSize(1));
  }

  @Test
  default void aDeadLetterOfAnInboxSaysItsKeyAndItsTrace() {
    InboxKey key = dead("shop", "1", "topic");
    assertThat(inbox().replay(key, "ann")).isTrue();
    claimOnly(ME);
    work().fail(ME, held(key), "broken");

    DeadLetter letter = inbox().deadLetters().list(DeadLetterFilter.all(), 10).get(0);

    assertThat(InboxMessage.of(letter).key()).isEqualTo(key);
    assertThat(letter.topic()).isEqualTo("topic");
    assertThat(letter.error()).isEqualTo("broken");
    assertThat(letter.replays()).isEqualTo(1);
    assertThat(letter.event().payloadJson()).isNull();
    assertThat(inbox().deadLetters().find(letter.id()).orElseThrow().event().payloadJson())
        .isEqualTo("{}");
  }

  @Test
  default void aDiscardedMessageIsKnownAndNotHandledAgain() {
    InboxKey key = dead("shop", "1", "topic");
    DeadLetter letter = inbox().deadLetters().list(DeadLetterFilter.all(), 10).get(0);

    assertThat(inbox().deadLetters().discard(List.of(letter.id()), "bob", "obsolete"))
        .containsExactly(letter.id());

    assertThat(status(key)).isEqualTo(InboxStatus.DONE);
    assertThat(stored(key).lastError()).isEqualTo("discarded by bob: obsolete");
    assertThat(inbox().receive(inbound(key, "topic", "{}")).kind()).isEqualTo(Kind.DONE);
    assertThat(claim(ME)).isEmpty();
  }

  private InboxKey dead(String source, String messageId, String topic) {
    InboxKey key = new InboxKey(source, messageId);
    inbox().enqueue(InboundMessage.of(new InboxKey(source, messageId), topic, "{}"));
    inbox().markDead(key);
    return key;
  }
}

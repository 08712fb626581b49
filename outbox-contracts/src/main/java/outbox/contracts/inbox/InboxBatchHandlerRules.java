package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.Batches;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxBatch;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;

/** Handlers that get messages in batches. */
interface InboxBatchHandlerRules extends InboxEngineUnderTest {

  private List<InboxKey> received(int count) {
    List<InboxKey> keys =
        IntStream.range(0, count).mapToObj(i -> new InboxKey("shop", "message-" + i)).toList();
    inbox().receiveAll(keys.stream().map(key -> InboundMessage.of(key, "topic", "{}")).toList());
    return keys;
  }

  private void serve(InboxHandlers handlers) {
    OutboxConfig config =
        new OutboxConfig()
            .setDispatcherWorkers(1)
            .setLeaseDuration(Duration.ofSeconds(20))
            .setRetryBaseDelayMs(600_000)
            .setRetryMaxDelayMs(600_000);
    poller(config, store().events(), handlers).start();
  }

  private static List<InboxKey> keys(InboxBatch batch) {
    return batch.messages().stream().map(InboxMessage::key).toList();
  }

  @Test
  default void messagesOfATopicComeInBatchesAndEachHasItsOwnOutcome() {
    List<InboxKey> handled = new CopyOnWriteArrayList<>();
    List<InboxKey> keys = received(5);

    serve(
        new InboxHandlers()
            .registerBatch(
                "topic",
                Batches.of(10),
                batch -> {
                  handled.addAll(keys(batch));
                  for (InboxMessage message : batch.messages()) {
                    if (message.key().equals(keys.get(1))) {
                      batch.failed(message, new PermanentFailureException("never"));
                    } else if (message.key().equals(keys.get(2))) {
                      batch.defer(message, Duration.ofMinutes(10));
                    } else {
                      batch.done(message);
                    }
                  }
                }));

    awaitStatus(keys.get(0), InboxStatus.DONE);
    awaitStatus(keys.get(1), InboxStatus.DEAD);
    awaitStatus(keys.get(3), InboxStatus.DONE);
    awaitStatus(keys.get(4), InboxStatus.DONE);
    awaitTrue(() -> owner(keys.get(2)) == null);
    assertThat(status(keys.get(2))).isEqualTo(InboxStatus.PROCESSING);
    assertThat(handled).containsExactlyInAnyOrderElementsOf(keys);
  }

  @Test
  default void writesOfATransactionalBatchCommitWithTheEndOfItsMessages() {
    List<InboxKey> keys = received(4);

    serve(
        new InboxHandlers()
            .registerTransactionalBatch(
                "topic",
                Batches.of(10),
                (batch, connection) -> {
                  for (InboxMessage message : batch.messages()) {
                    write(connection, "effect of " + message.messageId());
                    if (message.key().equals(keys.get(2))) {
                      throw new PermanentFailureException("never");
                    }
                  }
                }));

    awaitStatus(keys.get(2), InboxStatus.DEAD);
    for (InboxKey key : keys) {
      boolean bad = key.equals(keys.get(2));
      awaitStatus(key, bad ? InboxStatus.DEAD : InboxStatus.DONE);
      assertThat(written("effect of " + key.messageId())).isEqualTo(!bad);
    }
  }

  @Test
  default void aTopicHasOneHandlerBeItOfBatches() {
    InboxHandlers handlers =
        new InboxHandlers().registerBatch("topic", Batches.of(10), batch -> {});

    assertThatThrownBy(() -> handlers.register(InboxHandler.of("topic", (message, context) -> {})))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> handlers.registerBatch("topic", Batches.of(10), batch -> {}))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> handlers.registerBatch("*", Batches.of(10), batch -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

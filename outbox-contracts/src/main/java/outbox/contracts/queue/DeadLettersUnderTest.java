package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetters;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetterFilter;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** A queue with messages that died. */
interface DeadLettersUnderTest extends QueueUnderTest {
  DeadLetterFilter ALL = DeadLetterFilter.all();

  default DeadLetters letters() {
    return outbox().deadLetters();
  }

  /** By a list; a count by the same filter must say the same. */
  default List<MessageId> found(DeadLetterFilter filter) {
    List<MessageId> found = letters().list(filter, 100).stream().map(DeadLetter::id).toList();
    assertThat(letters().count(filter)).isEqualTo(new DeadCount(found.size(), true));
    return found;
  }

  default List<MessageId> deadOnes(int count) {
    List<EventEnvelope> messages =
        IntStream.range(0, count).mapToObj(i -> EventEnvelope.ofJson("mail", "{}")).toList();
    MessageId[] ids =
        outbox().enqueueAll(messages).stream().map(Outbox.Enqueued::id).toArray(MessageId[]::new);
    kill("broken", ids);
    return List.of(ids);
  }

  default MessageId dead(
      String topic, @Nullable String tenant, @Nullable String correlation, String error) {
    MessageId id =
        enqueue(
            EventEnvelope.builder(topic)
                .payloadJson("{}")
                .tenantId(tenant)
                .correlationId(correlation)
                .build());
    kill(error, id);
    return id;
  }

  default void kill(String error, MessageId... ids) {
    List<String> values = Stream.of(ids).map(MessageId::value).toList();
    connections().inAutoCommit(c -> store().claimById(c, "killer", LEASE, values));
    assertThat(outbox().fail(new OwnerToken("killer"), List.of(ids), error)).hasSize(ids.length);
  }
}

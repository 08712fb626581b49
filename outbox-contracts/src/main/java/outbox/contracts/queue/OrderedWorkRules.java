package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxMessage;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** Workers of the application get the messages of an ordering key one after the other. */
interface OrderedWorkRules extends QueueUnderTest {

  @Test
  default void messagesOfAKeyAreClaimedInOrder() {
    Outbox queue = outbox();
    OwnerToken owner = OwnerToken.random();
    List<MessageId> ids =
        IntStream.range(0, 5).mapToObj(i -> queue.enqueue(ordered("a")).id()).toList();

    for (MessageId id : ids) {
      List<OutboxMessage> claimed = queue.claim(owner, LEASE, 10);
      assertThat(ids(claimed)).containsExactly(id);
      assertThat(claimed.get(0).orderingKey()).isEqualTo("a");
      assertThat(queue.ack(owner, List.of(id))).containsExactly(id);
    }
    assertThat(queue.claim(owner, LEASE, 10)).isEmpty();
  }

  @Test
  default void messagesOfOneCallKeepItsOrder() {
    Outbox queue = outbox();
    OwnerToken owner = OwnerToken.random();
    List<EventEnvelope> messages =
        IntStream.range(0, 6).mapToObj(i -> ordered(i % 2 == 0 ? "b" : "a")).toList();
    List<MessageId> ids = queue.enqueueAll(messages).stream().map(Outbox.Enqueued::id).toList();

    for (int i = 0; i < 6; i += 2) {
      assertThat(ids(queue.claim(owner, LEASE, 10)))
          .containsExactlyInAnyOrder(ids.get(i), ids.get(i + 1));
      queue.ack(owner, List.of(ids.get(i), ids.get(i + 1)));
    }
  }

  @Test
  default void aMessageThatWasAckedElsewhereIsFoundByAnEmptyClaim() {
    OwnerToken owner = OwnerToken.random();
    MessageId first = outbox().enqueue(ordered("a")).id();
    MessageId second = outbox().enqueue(ordered("a")).id();
    assertThat(ids(outbox().claim(owner, LEASE, 10))).containsExactly(first);

    assertThat(outbox().ack(owner, List.of(first))).containsExactly(first);

    assertThat(ids(outbox().claim(owner, LEASE, 10))).containsExactly(second);
  }

  @Test
  default void aDiscardedMessageLetsTheNextStart() {
    Outbox queue = outbox();
    OwnerToken owner = OwnerToken.random();
    MessageId first = queue.enqueue(ordered("a")).id();
    MessageId second = queue.enqueue(ordered("a")).id();
    queue.claim(owner, LEASE, 10);
    queue.fail(owner, List.of(first), "broken");
    assertThat(stored(second).status()).isEqualTo(EventStatus.WAITING);

    queue.deadLetters().discard(List.of(first), "operator", "of no use");

    assertThat(stored(second).status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  default void aMessageIsEnqueuedInOrderInATransactionOfTheCaller() throws SQLException {
    Outbox queue = outbox();
    OwnerToken owner = OwnerToken.random();
    MessageId first = queue.enqueue(ordered("a")).id();
    MessageId second;
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      second = queue.enqueue(connection, ordered("a")).id();
      connection.commit();
    }

    assertThat(ids(queue.claim(owner, LEASE, 10))).containsExactly(first);
    queue.ack(owner, List.of(first));
    assertThat(ids(queue.claim(owner, LEASE, 10))).containsExactly(second);
  }

  private static EventEnvelope ordered(String key) {
    return EventEnvelope.builder("work").orderingKey(key).payloadJson("{}").build();
  }
}

package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxMessage;
import outbox.contracts.engine.OutboxUnderTest;
import outbox.contracts.store.EventStoreContract;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** What the rules of the work queue's contract ask for, in their own words. */
interface QueueUnderTest extends OutboxUnderTest {
  Duration LEASE = Duration.ofMinutes(1);
  Duration PAST_LEASE = LEASE.plusSeconds(1);
  OwnerToken ME = new OwnerToken("me");
  OwnerToken OTHER = new OwnerToken("other");

  /** The store's now. */
  Instant now();

  /** On the store as it is now: {@link #advance} makes another one. */
  default OutboxBuilder builder() {
    return OutboxBuilder.of(connections(), store()).txContext(txContext());
  }

  default Outbox outbox() {
    return builder().build();
  }

  default MessageId enqueue(String topic) {
    return outbox().enqueue(topic, "{}").id();
  }

  default MessageId enqueue(EventEnvelope message) {
    return outbox().enqueue(message).id();
  }

  default List<MessageId> enqueue(String topic, int count) {
    List<EventEnvelope> messages =
        IntStream.range(0, count).mapToObj(i -> EventEnvelope.ofJson(topic, "{}")).toList();
    return outbox().enqueueAll(messages).stream().map(Outbox.Enqueued::id).toList();
  }

  default List<OutboxMessage> claim(OwnerToken owner) {
    return outbox().claim(owner, LEASE, 100);
  }

  default OutboxMessage claimOnly(OwnerToken owner) {
    List<OutboxMessage> claimed = claim(owner);
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  default List<MessageId> ids(Collection<OutboxMessage> messages) {
    return messages.stream().map(OutboxMessage::id).toList();
  }

  default EventStoreContract.Row stored(MessageId id) {
    return row(id.value()).orElseThrow(() -> new AssertionError("no row of " + id));
  }
}

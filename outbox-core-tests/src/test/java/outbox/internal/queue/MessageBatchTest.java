package outbox.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox.Enqueued;
import outbox.model.MessageId;

class MessageBatchTest {

  @Test
  void keysAreInsertedInOneOrderWhateverTheOrderGiven() {
    EventEnvelope plain = EventEnvelope.ofJson("Type", "{}");
    List<EventEnvelope> messages =
        List.of(
            message("b", "k1"),
            message("a", "k9"),
            plain,
            message(null, "k5"),
            message("a", "k2"),
            message("b", "k0"));

    List<EventEnvelope> inserted = new MessageBatch(messages).toInsert();

    assertThat(inserted.get(0)).isSameAs(plain);
    assertThat(inserted.subList(1, 6))
        .extracting(EventEnvelope::idempotencyKey)
        .containsExactly("k5", "k2", "k9", "k0", "k1");
  }

  @Test
  void theFirstOfAKeyStandsForAll() {
    EventEnvelope first = message("a", "k");
    EventEnvelope second = message("a", "k");
    MessageBatch batch = new MessageBatch(List.of(first, second, first));

    assertThat(batch.toInsert()).containsExactly(first);
    assertThat(batch.results(Map.of()))
        .containsExactly(result(first, false), result(first, true), result(first, true));
    assertThat(batch.results(Map.of(first.eventId(), first.eventId())))
        .containsExactly(result(first, true), result(first, true), result(first, true));
  }

  @Test
  void messagesWithoutKeysAreLeftAsTheyAre() {
    List<EventEnvelope> messages =
        List.of(EventEnvelope.ofJson("Type", "2"), EventEnvelope.ofJson("Type", "1"));

    assertThat(new MessageBatch(messages).toInsert()).isSameAs(messages);
  }

  private static Enqueued result(EventEnvelope message, boolean existed) {
    return new Enqueued(new MessageId(message.eventId()), "k", existed);
  }

  private static EventEnvelope message(@Nullable String tenantId, String key) {
    return EventEnvelope.builder("Type")
        .tenantId(tenantId)
        .idempotencyKey(key)
        .payloadJson("{}")
        .build();
  }
}

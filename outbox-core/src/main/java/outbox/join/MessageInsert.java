package outbox.join;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNullElse;

import java.sql.Connection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import outbox.EventEnvelope;
import outbox.model.MessageId;
import outbox.spi.LeasedEventStore;

/** Stores messages in the connection's transaction: what {@code Outbox.enqueue} does, or less. */
@FunctionalInterface
public interface MessageInsert {

  /**
   * Returns the ids of the messages, or of the first ones with their idempotency keys, in the order
   * given; never called with none.
   */
  List<MessageId> insert(Connection connection, List<EventEnvelope> messages);

  /**
   * Stores them and wakes no poller: in the order of tenant and key, so that two transactions that
   * bring the same keys wait for each other in one direction only.
   */
  static MessageInsert into(LeasedEventStore events) {
    Comparator<EventEnvelope> byKey =
        comparing(EventEnvelope::hasIdempotencyKey)
            .thenComparing(message -> requireNonNullElse(message.tenantId(), ""))
            .thenComparing(EventEnvelope::idempotencyKey);
    return (connection, messages) -> {
      List<EventEnvelope> inOrder = messages.stream().sorted(byKey).toList();
      Map<String, String> existing = events.insertAll(connection, inOrder, null);
      return messages.stream()
          .map(EventEnvelope::eventId)
          .map(id -> new MessageId(existing.getOrDefault(id, id)))
          .toList();
    };
  }
}

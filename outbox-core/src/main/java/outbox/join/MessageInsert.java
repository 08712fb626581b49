package outbox.join;

import java.sql.Connection;
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

  /** Stores them and wakes nobody. */
  static MessageInsert into(LeasedEventStore events) {
    return (connection, messages) -> {
      Map<String, String> existing = events.insertAll(connection, messages);
      return messages.stream()
          .map(EventEnvelope::eventId)
          .map(id -> new MessageId(existing.getOrDefault(id, id)))
          .toList();
    };
  }
}

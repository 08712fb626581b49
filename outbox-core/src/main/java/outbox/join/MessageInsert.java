package outbox.join;

import java.sql.Connection;
import outbox.EventEnvelope;
import outbox.model.MessageId;

/** Stores a message in the connection's transaction: what {@code Outbox.enqueue} does, or less. */
@FunctionalInterface
public interface MessageInsert {
  /** Returns the id of the message, or of the first one with its idempotency key. */
  MessageId insert(Connection connection, EventEnvelope message);
}

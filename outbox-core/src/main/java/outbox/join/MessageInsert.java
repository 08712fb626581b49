package outbox.join;

import java.sql.Connection;
import outbox.EventEnvelope;

/** Stores a message in the connection's transaction: what {@code Outbox.enqueue} does, or less. */
@FunctionalInterface
public interface MessageInsert {
  void insert(Connection connection, EventEnvelope message);
}

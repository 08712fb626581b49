package outbox.routing;

import java.util.UUID;
import outbox.Outbox;

/**
 * Finds the outbox of a tenant. Answers from memory, with the same instance as long as the database
 * is there, and wakes the database's claims on every enqueue through it. Thread-safe.
 */
public interface OutboxRouter {

  /**
   * The outbox of the database with this identifier.
   *
   * @throws IllegalStateException if there is none
   */
  Outbox getOutbox(String key);

  /**
   * Returns the outbox of an identifier that is a UUID, in its usual form in lower case.
   *
   * @throws IllegalStateException if there is none
   */
  default Outbox getOutbox(UUID key) {
    return getOutbox(key.toString());
  }
}

package outbox.inbox;

import java.util.UUID;

/**
 * Finds the inbox of a tenant. Answers from memory, with the same instance as long as the database
 * is there. Thread-safe.
 */
public interface InboxRouter {

  /**
   * The inbox of the database with this identifier.
   *
   * @throws IllegalArgumentException if the key is null or empty
   * @throws IllegalStateException if there is none
   */
  Inbox getInbox(String routingKey);

  /** Returns the inbox of an identifier that is a UUID, in its usual form in lower case. */
  default Inbox getInbox(UUID routingKey) {
    return getInbox(routingKey.toString());
  }
}

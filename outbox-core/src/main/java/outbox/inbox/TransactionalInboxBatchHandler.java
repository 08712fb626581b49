package outbox.inbox;

import java.sql.Connection;

/**
 * A batch handler whose own writes and the completion of all messages of the batch commit together
 * or not at all, so that its effects <em>in this database</em> happen exactly once for each key. It
 * follows the rules of a {@link outbox.TransactionalBatchListener}.
 */
@FunctionalInterface
public interface TransactionalInboxBatchHandler {

  /** Handles a batch by statements on the connection; returns when all its messages are done. */
  void handle(InboxBatch batch, Connection connection) throws Exception;
}

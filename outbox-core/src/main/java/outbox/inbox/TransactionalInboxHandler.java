package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import outbox.HandlerContext;
import outbox.HandlerResult;

/**
 * A handler whose own writes and the completion of its message commit together or not at all, so
 * that its effects <em>in this database</em> happen exactly once for each key.
 *
 * <p>It works on the connection that it is given. When it returns, the message is marked DONE, or
 * deferred, in the same transaction; if the lease was lost or the content replaced meanwhile,
 * everything rolls back. {@code commit}, {@code rollback}, {@code close} and {@code setAutoCommit}
 * on that connection are refused; events published meanwhile join the transaction.
 */
public interface TransactionalInboxHandler {

  /** The topic whose messages this handles; constant, never blank and never the wildcard. */
  String topic();

  /**
   * Handles a message by statements on the connection.
   *
   * @return whether the message is done or deferred; stored together with the writes
   */
  HandlerResult handle(InboxMessage message, HandlerContext context, Connection connection)
      throws Exception;

  /** Creates a handler of a topic from a lambda; when it returns, the message is done. */
  static TransactionalInboxHandler of(String topic, Body body) {
    InboxKey.handled("topic", requireNonNull(topic, "topic"));
    requireNonNull(body, "body");
    return new TransactionalInboxHandler() {
      @Override
      public String topic() {
        return topic;
      }

      @Override
      public HandlerResult handle(
          InboxMessage message, HandlerContext context, Connection connection) throws Exception {
        body.handle(message, connection);
        return HandlerResult.done();
      }
    };
  }

  /** What a handler does, without its topic. */
  @FunctionalInterface
  interface Body {
    /** Handles a message by statements on the connection; returns when it is done. */
    void handle(InboxMessage message, Connection connection) throws Exception;
  }
}

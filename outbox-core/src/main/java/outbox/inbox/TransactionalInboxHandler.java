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
public interface TransactionalInboxHandler extends InboxHandler {

  HandlerResult handle(InboxMessage message, HandlerContext context, Connection connection)
      throws Exception;

  /** Refused: this handler only makes sense inside the dispatcher's transaction. */
  @Override
  default void handle(InboxMessage message, HandlerContext context) {
    throw new IllegalStateException(
        "a TransactionalInboxHandler needs a transaction; build the dispatcher with"
            + " transactions(…)");
  }

  /** A handler that is written as a lambda and ends with its message done. */
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
    void handle(InboxMessage message, Connection connection) throws Exception;
  }
}

package outbox;

import java.sql.Connection;

/**
 * A handler whose own writes and the fate of its message commit together or not at all.
 *
 * <p>It works on the connection that it is given. When it returns, the message is marked done, or
 * deferred, in the same transaction; if the lease was lost meanwhile, everything rolls back.
 * Whatever it throws, {@link DeferException} and {@link PermanentFailureException} included, rolls
 * its writes back first. {@code commit}, {@code rollback}, {@code close} and {@code setAutoCommit}
 * on that connection are refused; messages published meanwhile join the transaction. Needs a
 * dispatcher that was built with {@code transactions(…)}.
 */
public interface TransactionalOutboxHandler {

  /** The topic whose messages this handles; constant, never blank and never the wildcard. */
  String topic();

  /**
   * Handles a message by statements on the connection.
   *
   * @return whether the message is done or deferred; stored together with the writes
   */
  HandlerResult handle(OutboxMessage message, HandlerContext context, Connection connection)
      throws Exception;
}

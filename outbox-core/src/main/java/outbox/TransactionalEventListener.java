package outbox;

import java.sql.Connection;

/**
 * A listener whose own writes and the completion of the event commit together or not at all.
 *
 * <p>It works on the connection that it is given. When it returns, the event is marked done in the
 * same transaction or, if another listener of the event failed, it is recorded that this one is
 * done; if the lease was lost meanwhile, everything rolls back. So its effects <em>in this
 * database</em> happen exactly once per event. {@code commit}, {@code rollback}, {@code close} and
 * {@code setAutoCommit} on that connection are refused; events published meanwhile join the
 * transaction. Needs a dispatcher that was built with {@code transactions(…)}.
 */
@FunctionalInterface
public interface TransactionalEventListener {

  /** Handles an event by statements on the connection; returns when it is done. */
  void onEvent(EventEnvelope event, Connection connection) throws Exception;
}

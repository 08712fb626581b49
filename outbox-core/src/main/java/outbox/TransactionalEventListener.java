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
public interface TransactionalEventListener extends EventListener {

  void onEvent(EventEnvelope event, Connection connection) throws Exception;

  /** Refused: this listener only makes sense inside the dispatcher's transaction. */
  @Override
  @SuppressWarnings("FunctionalInterfaceMethodChanged")
  default void onEvent(EventEnvelope event) {
    throw new IllegalStateException(
        "a TransactionalEventListener needs a transaction; build the dispatcher with"
            + " transactions(…)");
  }
}

package outbox;

import java.sql.Connection;

/**
 * A batch listener whose own writes and the completion of all events of the batch commit together
 * or not at all.
 *
 * <p>It works on the connection that it is given. When it returns, all events are marked done in
 * the same transaction, or deferred where it said so. Its effects <em>in this database</em> happen
 * exactly once per event. {@code commit}, {@code rollback}, {@code close} and {@code setAutoCommit}
 * on that connection are refused; events published meanwhile join the transaction. Needs a
 * dispatcher that was built with {@code transactions(…)}.
 *
 * <p>If it records a failure of some events by {@link EventBatch#failed}, everything rolls back,
 * and it is called again with the others. If it throws, if the commit fails or if the lease of one
 * event was lost meanwhile, everything rolls back, and it is called again with each event alone:
 * only the event that fails alone counts an attempt.
 */
@FunctionalInterface
public interface TransactionalBatchListener {

  /** Handles a batch by statements on the connection; returns when all its events are done. */
  void onEvents(EventBatch batch, Connection connection) throws Exception;
}

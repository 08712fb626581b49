package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;

/** The business transaction of the calling thread, as the outbox needs to see it. */
public interface TxContext {

  /** Returns whether this thread has a transaction. */
  boolean isTransactionActive();

  /**
   * The very connection that the business operations of the current transaction use.
   *
   * @throws IllegalStateException if there is none, saying how one begins
   */
  Connection currentConnection();

  /** Whether this is the connection of the current transaction, wrapped or not. */
  default boolean isCurrent(Connection connection) {
    if (!isTransactionActive()) {
      return false;
    }
    Connection current = currentConnection();
    return connection == current || innermost(connection) == innermost(current);
  }

  private static Connection innermost(Connection connection) {
    Connection unwatched = TransactionWatch.unwatched(connection);
    try {
      Connection inner = unwatched.unwrap(Connection.class);
      return inner == unwatched ? unwatched : innermost(inner);
    } catch (SQLException e) {
      return unwatched;
    }
  }

  /** Runs the callback after, and only after, the current transaction has committed. */
  void afterCommit(Runnable callback);

  /** Runs the callback after the current transaction has rolled back. */
  void afterRollback(Runnable callback);

  /**
   * Whether a rollback to a savepoint discards the callbacks registered since that savepoint. Where
   * it does not, the dispatcher asks the database whether an event survived before it is delivered
   * from memory. A store that is only an {@link EventStore} cannot be asked: an event of a
   * savepoint that was rolled back is delivered.
   */
  default boolean seesSavepointRollbacks() {
    return false;
  }

  /**
   * Returns a question about the current transaction, to be asked after its commit: whether
   * something speaks against that commit, such as a statement that failed before. If so, the
   * dispatcher asks the database whether an event exists before it is delivered from memory. {@link
   * TransactionWatch} answers it.
   */
  default BooleanSupplier commitDoubt() {
    return () -> false;
  }
}

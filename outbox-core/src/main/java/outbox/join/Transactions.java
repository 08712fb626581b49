package outbox.join;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.internal.connection.AutoCommit;
import outbox.internal.guard.JoinedTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;
import outbox.spi.TxContext;

/** Where work runs: in the transaction of a given connection, in the thread's, or in its own. */
final class Transactions {
  private final ConnectionProvider connections;
  private final @Nullable TxContext txContext;
  private final @Nullable Connection given;

  Transactions(ConnectionProvider connections, @Nullable TxContext txContext) {
    this(connections, txContext, null);
  }

  private Transactions(
      ConnectionProvider connections, @Nullable TxContext txContext, @Nullable Connection given) {
    this.connections = connections;
    this.txContext = txContext;
    this.given = given;
  }

  Transactions in(Connection connection) {
    return new Transactions(connections, txContext, connection);
  }

  /** For one call of a store, which is a transaction by itself where there is none. */
  <T> T call(Function<Connection, T> work) {
    return run(true, work);
  }

  /** For several calls of stores: one transaction in any case. */
  <T> T together(Function<Connection, T> work) {
    return run(false, work);
  }

  private <T> T run(boolean autoCommit, Function<Connection, T> work) {
    if (given != null) {
      return work.apply(JoinedTransaction.of(given, "a join"));
    }
    if (txContext != null && txContext.isTransactionActive()) {
      return work.apply(txContext.currentConnection());
    }
    try (Connection connection = connections.getConnection()) {
      return AutoCommit.with(autoCommit, connection, autoCommit ? work : committing(work));
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private static <T> Function<Connection, T> committing(Function<Connection, T> work) {
    return connection -> {
      try {
        T result = work.apply(connection);
        connection.commit();
        return result;
      } catch (SQLException e) {
        rollBack(connection, e);
        throw failed(e);
      } catch (RuntimeException | Error e) {
        rollBack(connection, e);
        throw e;
      }
    };
  }

  private static StoreException failed(SQLException e) {
    return new StoreException("transaction of a join failed, SQLState " + e.getSQLState(), e);
  }

  private static void rollBack(Connection connection, Throwable cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }
}

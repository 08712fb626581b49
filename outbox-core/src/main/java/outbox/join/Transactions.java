package outbox.join;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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
      requireTransaction(given);
      return work.apply(given);
    }
    if (txContext != null && txContext.isTransactionActive()) {
      return work.apply(txContext.currentConnection());
    }
    try (Connection connection = connections.getConnection()) {
      boolean before = connection.getAutoCommit();
      connection.setAutoCommit(autoCommit);
      try {
        T result = work.apply(connection);
        if (!autoCommit) {
          connection.commit();
        }
        return result;
      } catch (SQLException | RuntimeException | Error e) {
        rollBack(connection, e);
        throw e;
      } finally {
        restore(connection, before);
      }
    } catch (SQLException e) {
      throw new StoreException("transaction of a join failed, SQLState " + e.getSQLState(), e);
    }
  }

  private static void requireTransaction(Connection connection) {
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "joins in a transaction were asked for, but the connection is in auto-commit mode;"
                + " call setAutoCommit(false) before, or leave out in(connection)");
      }
    } catch (SQLException e) {
      throw new StoreException("the connection of a join is unusable", e);
    }
  }

  private static void rollBack(Connection connection, Throwable cause) {
    try {
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  private static void restore(Connection connection, boolean autoCommit) {
    try {
      connection.setAutoCommit(autoCommit);
    } catch (SQLException ignored) {
      // It is broken; closing it is all that is left.
    }
  }
}

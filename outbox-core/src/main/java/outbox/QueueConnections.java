package outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;

/**
 * Runs each call of the queue on a connection of its own, in auto-commit mode, and gives it back.
 */
final class QueueConnections {
  private final ConnectionProvider provider;

  QueueConnections(ConnectionProvider provider) {
    this.provider = provider;
  }

  <T> T call(Function<Connection, T> work) {
    return provider.inAutoCommit(work);
  }

  /** The connection, if it has a transaction to join. */
  static Connection inTransaction(Connection connection) {
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "enqueue in a transaction was asked for, but the connection is in auto-commit mode;"
                + " call setAutoCommit(false) before, or enqueue without a connection");
      }
      return connection;
    } catch (SQLException e) {
      throw new StoreException("enqueue: " + e.getMessage(), e);
    }
  }
}

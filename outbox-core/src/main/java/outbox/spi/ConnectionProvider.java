package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;

/** Gives the engine its own short-lived connections, outside every business transaction. */
@FunctionalInterface
public interface ConnectionProvider {
  Connection getConnection() throws SQLException;

  /** Runs the work on a connection of its own, in auto-commit mode, and gives it back. */
  default <T> T inAutoCommit(Function<Connection, T> work) {
    try (Connection connection = getConnection()) {
      if (connection.getAutoCommit()) {
        return work.apply(connection);
      }
      connection.setAutoCommit(true);
      try {
        return work.apply(connection);
      } finally {
        restore(connection);
      }
    } catch (SQLException e) {
      throw new StoreException("connection: " + e.getMessage(), e);
    }
  }

  /** A connection that cannot be restored is broken: it must not go back to its pool alive. */
  private static void restore(Connection connection) {
    try {
      if (!connection.isClosed()) {
        connection.setAutoCommit(false);
      }
    } catch (SQLException e) {
      abort(connection);
    }
  }

  private static void abort(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException ignored) {
      // Closing it is all that is left, and the caller does that.
    }
  }
}

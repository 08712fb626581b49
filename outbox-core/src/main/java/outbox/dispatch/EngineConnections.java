package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;
import outbox.util.NetworkLimit;

/**
 * Runs the engine's statements: each on a connection taken for it and given back at once as it was,
 * in auto-commit mode, so that the store minds its own transactions, and with a network timeout.
 * Thread-safe.
 */
final class EngineConnections {
  private final StoppableConnections provider;
  private final Outage outage;
  private final Duration networkTimeout;

  EngineConnections(ConnectionProvider provider, Outage outage, Duration networkTimeout) {
    this.provider = new StoppableConnections(provider);
    this.outage = outage;
    this.networkTimeout = networkTimeout;
  }

  /** Ends the waits for a connection, and gives no further one. */
  void stop() {
    provider.stop();
  }

  /** Calls the store; what it throws was an answer of the database or the lack of one. */
  <T> T call(String operation, Function<Connection, T> work) {
    try (Connection connection = provider.getConnection()) {
      NetworkLimit limit = NetworkLimit.on(connection, networkTimeout);
      boolean autoCommit = connection.getAutoCommit();
      if (!autoCommit) {
        connection.setAutoCommit(true);
      }
      try {
        T result = work.apply(connection);
        outage.succeeded(operation);
        return result;
      } finally {
        restore(connection, autoCommit, limit);
      }
    } catch (SQLException e) {
      throw new StoreException("connection: " + e.getMessage(), e);
    }
  }

  /** A connection that cannot be restored is broken: it must not go back to its pool alive. */
  private static void restore(Connection connection, boolean autoCommit, NetworkLimit limit) {
    try {
      if (connection.isClosed()) {
        return;
      }
      if (!autoCommit) {
        connection.setAutoCommit(false);
      }
      limit.lift();
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

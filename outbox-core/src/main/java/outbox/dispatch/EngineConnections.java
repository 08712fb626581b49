package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;

/**
 * Runs the engine's statements: each on a connection taken for it and given back at once as it was,
 * in auto-commit mode, so that the store minds its own transactions, and with a network timeout.
 * Thread-safe.
 */
final class EngineConnections {
  private final ConnectionProvider provider;
  private final Outage outage;
  private final int networkTimeoutMs;

  EngineConnections(ConnectionProvider provider, Outage outage, Duration networkTimeout) {
    this.provider = provider;
    this.outage = outage;
    this.networkTimeoutMs = (int) Math.min(Integer.MAX_VALUE, networkTimeout.toMillis());
  }

  /** Calls the store; what it throws was an answer of the database or the lack of one. */
  <T> T call(String operation, Function<Connection, T> work) {
    try (Connection connection = provider.getConnection()) {
      @Nullable Integer timeout = limitNetwork(connection);
      boolean autoCommit = connection.getAutoCommit();
      if (!autoCommit) {
        connection.setAutoCommit(true);
      }
      try {
        T result = work.apply(connection);
        outage.succeeded(operation);
        return result;
      } finally {
        restore(connection, autoCommit, timeout);
      }
    } catch (SQLException e) {
      throw new StoreException("connection: " + e.getMessage(), e);
    }
  }

  /** Returns what the timeout was, or null if it stays as it is. */
  private @Nullable Integer limitNetwork(Connection connection) throws SQLException {
    try {
      int before = connection.getNetworkTimeout();
      if (before > 0 && before <= networkTimeoutMs) {
        return null;
      }
      connection.setNetworkTimeout(Runnable::run, networkTimeoutMs);
      return before;
    } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
      return null;
    }
  }

  /** A connection that cannot be restored is broken: it must not go back to its pool alive. */
  private static void restore(
      Connection connection, boolean autoCommit, @Nullable Integer networkTimeout) {
    try {
      if (connection.isClosed()) {
        return;
      }
      if (!autoCommit) {
        connection.setAutoCommit(false);
      }
      if (networkTimeout != null) {
        connection.setNetworkTimeout(Runnable::run, networkTimeout);
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

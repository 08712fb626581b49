package outbox.internal.engine.health;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import outbox.internal.connection.AutoCommit;
import outbox.internal.connection.NetworkLimit;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;

/**
 * Runs the engine's statements: each on a connection taken for it and given back at once as it was,
 * in auto-commit mode, so that the store minds its own transactions, and with a network timeout.
 * Thread-safe.
 */
public final class EngineConnections {
  private final StoppableConnections provider;
  private final DatabaseHealth health;
  private final Duration networkTimeout;

  public EngineConnections(
      ConnectionProvider provider, DatabaseHealth health, Duration networkTimeout) {
    this.provider = new StoppableConnections(provider);
    this.health = health;
    this.networkTimeout = networkTimeout;
  }

  /** Ends the waits for a connection, and gives no further one. */
  public void stop() {
    provider.stop();
  }

  /** Calls the store; what it throws was an answer of the database or the lack of one. */
  public <T> T call(String operation, Function<Connection, T> work) {
    try (Connection connection = provider.getConnection()) {
      NetworkLimit limit = NetworkLimit.on(connection, networkTimeout);
      try {
        T result = AutoCommit.with(true, connection, work);
        health.succeeded(operation);
        return result;
      } finally {
        lift(limit, connection);
      }
    } catch (SQLException e) {
      throw new StoreException("connection: " + e.getMessage(), e);
    }
  }

  /** A connection that keeps the engine's timeout must not go back to its pool alive. */
  private static void lift(NetworkLimit limit, Connection connection) {
    try {
      limit.lift();
    } catch (SQLException e) {
      AutoCommit.abort(connection);
    }
  }
}

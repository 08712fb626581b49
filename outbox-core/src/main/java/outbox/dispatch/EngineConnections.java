package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;

/**
 * Runs the engine's statements: each on a connection taken for it and given back at once, with a
 * network timeout, committed if the connection comes without auto-commit. Deadlocks and
 * serialization failures are tried again a few times. Thread-safe.
 */
final class EngineConnections {
  private static final int MAX_TRIES = 5;
  private static final String TRANSACTION_ROLLBACK_CLASS = "40";

  private final ConnectionProvider provider;
  private final Outage outage;
  private final int networkTimeoutMs;

  EngineConnections(ConnectionProvider provider, Outage outage, Duration networkTimeout) {
    this.provider = provider;
    this.outage = outage;
    this.networkTimeoutMs = (int) Math.min(Integer.MAX_VALUE, networkTimeout.toMillis());
  }

  /** Calls the store; what it throws was an answer of the database or the lack of one. */
  <T> T call(Function<Connection, T> work) {
    for (int tries = 1; ; tries++) {
      try {
        T result = once(work);
        outage.succeeded();
        return result;
      } catch (StoreException e) {
        if (tries >= MAX_TRIES || !isConflict(e)) {
          throw e;
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000L << tries));
      }
    }
  }

  private <T> T once(Function<Connection, T> work) {
    try (Connection connection = provider.getConnection()) {
      @Nullable Integer before = limitNetwork(connection);
      boolean commits = !connection.getAutoCommit();
      boolean done = false;
      try {
        T result = work.apply(connection);
        if (commits) {
          connection.commit();
        }
        done = true;
        return result;
      } finally {
        if (commits && !done) {
          rollback(connection);
        }
        if (before != null) {
          restoreNetwork(connection, before);
        }
      }
    } catch (SQLException e) {
      throw new StoreException("connection: " + e.getMessage(), e);
    }
  }

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

  /** A connection that cannot take its old timeout back is broken, and its pool will see that. */
  private static void restoreNetwork(Connection connection, int timeout) {
    try {
      if (!connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, timeout);
      }
    } catch (SQLException e) {
      abort(connection);
    }
  }

  private static void rollback(Connection connection) {
    try {
      connection.rollback();
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

  private static boolean isConflict(StoreException e) {
    return e.getCause() instanceof SQLException cause
        && cause.getSQLState() != null
        && cause.getSQLState().startsWith(TRANSACTION_ROLLBACK_CLASS);
  }
}

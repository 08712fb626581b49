package outbox.internal.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;

/**
 * A network timeout on a connection, from {@link #on} until {@link #lift}. A connection that has a
 * shorter one keeps it; a driver that knows none is left alone. Not thread-safe.
 */
public final class NetworkLimit {
  private static final int UNKNOWN = -1;

  private final Connection connection;
  private final int before;

  private NetworkLimit(Connection connection, int before) {
    this.connection = connection;
    this.before = before;
  }

  /** Limits how long the database may take for an answer on this connection. */
  public static NetworkLimit on(Connection connection, Duration limit) throws SQLException {
    int millis = (int) Math.max(1, Math.min(Integer.MAX_VALUE, limit.toMillis()));
    try {
      int before = connection.getNetworkTimeout();
      if (before <= 0 || before > millis) {
        connection.setNetworkTimeout(Runnable::run, millis);
      }
      return new NetworkLimit(connection, before);
    } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
      return new NetworkLimit(connection, UNKNOWN);
    }
  }

  /** Sets the timeout back to what it was, whatever has changed it since. */
  public void lift() throws SQLException {
    if (before != UNKNOWN && !connection.isClosed() && connection.getNetworkTimeout() != before) {
      connection.setNetworkTimeout(Runnable::run, before);
    }
  }
}

package outbox.jdbc.internal.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import outbox.jdbc.internal.dialect.Dialect;

/**
 * How a borrowed connection was, so that it goes back the same.
 *
 * @param networkTimeout in milliseconds; {@value #UNKNOWN} if the driver has none
 */
record SessionState(boolean autoCommit, boolean readOnly, int level, int networkTimeout) {
  private static final int UNKNOWN = -1;

  static SessionState of(Connection conn) throws SQLException {
    return new SessionState(
        conn.getAutoCommit(),
        conn.isReadOnly(),
        conn.getTransactionIsolation(),
        networkTimeout(conn));
  }

  private static int networkTimeout(Connection conn) throws SQLException {
    try {
      return conn.getNetworkTimeout();
    } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
      return UNKNOWN;
    }
  }

  /**
   * @param silence how long a server may say nothing while a user looks before its connection
   *     counts as broken
   */
  void begin(Connection conn, boolean looking, Dialect dialect, Duration silence)
      throws SQLException {
    if (looking) {
      limitSilence(conn, (int) Math.min(Integer.MAX_VALUE, silence.toMillis()));
    }
    conn.setReadOnly(looking);
    int wanted = looking ? dialect.lookLevel() : Connection.TRANSACTION_READ_COMMITTED;
    if (wanted != level) {
      conn.setTransactionIsolation(wanted);
    }
    conn.setAutoCommit(false);
  }

  private void limitSilence(Connection conn, int millis) throws SQLException {
    if (networkTimeout == 0 || networkTimeout > millis) {
      conn.setNetworkTimeout(Runnable::run, millis);
    }
  }

  void restore(Connection conn) throws SQLException {
    conn.setAutoCommit(autoCommit);
    conn.setReadOnly(readOnly);
    if (conn.getTransactionIsolation() != level) {
      conn.setTransactionIsolation(level);
    }
    if (networkTimeout(conn) != networkTimeout) {
      conn.setNetworkTimeout(Runnable::run, networkTimeout);
    }
  }

  /** What goes wrong here goes wrong because of what went wrong before. */
  void restoreAfter(Connection conn, Throwable cause) {
    try {
      conn.rollback();
      restore(conn);
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }
}

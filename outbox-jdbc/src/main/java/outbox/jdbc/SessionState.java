package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** How a borrowed connection was, so that it goes back the same. */
record SessionState(boolean autoCommit, boolean readOnly, int level) {

  static SessionState of(Connection conn) throws SQLException {
    return new SessionState(
        conn.getAutoCommit(), conn.isReadOnly(), conn.getTransactionIsolation());
  }

  void begin(Connection conn, boolean looking, Dialect dialect) throws SQLException {
    conn.setReadOnly(looking);
    int wanted = looking ? dialect.lookLevel() : Connection.TRANSACTION_READ_COMMITTED;
    if (wanted != level) {
      conn.setTransactionIsolation(wanted);
    }
    conn.setAutoCommit(false);
  }

  void restore(Connection conn) throws SQLException {
    conn.setAutoCommit(autoCommit);
    conn.setReadOnly(readOnly);
    if (conn.getTransactionIsolation() != level) {
      conn.setTransactionIsolation(level);
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

package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** All that knows the classes of PostgreSQL's own driver, which need not be there. */
final class PostgresDriver {
  private PostgresDriver() {}

  /** Waits for a notification of another session than this; returns false if none came in time. */
  static boolean awaitNotification(Connection conn, int millis) throws SQLException {
    PGConnection postgres = conn.unwrap(PGConnection.class);
    PGNotification[] notifications = postgres.getNotifications(millis);
    if (notifications != null) {
      for (PGNotification notification : notifications) {
        if (notification.getPID() != postgres.getBackendPID()) {
          return true;
        }
      }
    }
    return false;
  }
}

package outbox.jdbc.internal.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** All that knows the classes of PostgreSQL's own driver, which need not be there. */
public final class PostgresDriver {
  private PostgresDriver() {}

  /** Waits for a notification of another session than this; returns false if none came in time. */
  public static boolean awaitNotification(Connection conn, int millis) throws SQLException {
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

  /**
   * Ends what the connection runs in the server. Unlike {@code Statement.cancel()}, it does not
   * make the thread that runs the statement wait for a network that does not answer.
   */
  public static void cancel(Connection conn, Statement statement) throws SQLException {
    if (conn.isWrapperFor(PGConnection.class)) {
      conn.unwrap(PGConnection.class).cancelQuery();
    } else {
      statement.cancel();
    }
  }
}

package outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.PGStatement;

/** All that knows the classes of PostgreSQL's own driver, which need not be there. */
final class PostgresDriver {
  private static final boolean PRESENT = present();

  private PostgresDriver() {}

  /** Keeps a plan that was made for an empty table from being reused for a full one. */
  static void planEachTime(PreparedStatement statement) throws SQLException {
    if (PRESENT) {
      Direct.planEachTime(statement);
    }
  }

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

  private static boolean present() {
    try {
      Class.forName("org.postgresql.PGStatement", false, PostgresDriver.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Loaded only where the driver is. */
  private static final class Direct {
    static void planEachTime(PreparedStatement statement) throws SQLException {
      if (statement.isWrapperFor(PGStatement.class)) {
        statement.unwrap(PGStatement.class).setPrepareThreshold(0);
      }
    }
  }
}

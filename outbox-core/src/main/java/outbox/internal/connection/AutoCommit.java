package outbox.internal.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;

/** The auto-commit mode of a connection: who needs which, and that it is as before afterwards. */
public final class AutoCommit {
  private AutoCommit() {}

  /**
   * Runs the work with the connection in a mode and leaves it in the mode that it had. One that
   * cannot be restored is broken: it must not go back to its pool alive.
   */
  public static <T> T with(boolean mode, Connection connection, Function<Connection, T> work)
      throws SQLException {
    if (connection.getAutoCommit() == mode) {
      return work.apply(connection);
    }
    connection.setAutoCommit(mode);
    try {
      return work.apply(connection);
    } finally {
      restore(connection, !mode);
    }
  }

  private static void restore(Connection connection, boolean mode) {
    try {
      if (!connection.isClosed()) {
        connection.setAutoCommit(mode);
      }
    } catch (SQLException e) {
      abort(connection);
    }
  }

  /** Ends a connection that must not go back to its pool alive. */
  public static void abort(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException ignored) {
      // Closing it is all that is left, and its borrower does that.
    }
  }
}

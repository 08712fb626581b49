package outbox.internal.guard;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.spi.StoreException;

/** Refuses a connection that has no transaction to join. */
public final class JoinedTransaction {
  private JoinedTransaction() {}

  /**
   * The connection, if it has a transaction to join.
   *
   * @param operation what was asked for, for the message
   * @throws IllegalStateException if the connection is in auto-commit mode
   */
  public static Connection of(Connection connection, String operation) {
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            operation
                + " needs a transaction to join, but the connection is in auto-commit mode; call"
                + " setAutoCommit(false) before");
      }
      return connection;
    } catch (SQLException e) {
      throw new StoreException(operation + ": the connection is unusable: " + e.getMessage(), e);
    }
  }
}

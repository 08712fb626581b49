package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import outbox.internal.connection.AutoCommit;

/** Gives the engine its own short-lived connections, outside every business transaction. */
@FunctionalInterface
public interface ConnectionProvider {
  /** Opens a connection, which the caller closes. */
  Connection getConnection() throws SQLException;

  /** Runs the work on a connection of its own, in auto-commit mode, and gives it back. */
  default <T> T inAutoCommit(Function<Connection, T> work) {
    try (Connection connection = getConnection()) {
      return AutoCommit.with(true, connection, work);
    } catch (SQLException e) {
      throw new StoreException("connection: " + e.getMessage(), e);
    }
  }
}

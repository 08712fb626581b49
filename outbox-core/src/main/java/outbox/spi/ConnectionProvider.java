package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;

/** Gives the engine its own short-lived connections, outside every business transaction. */
@FunctionalInterface
public interface ConnectionProvider {
  Connection getConnection() throws SQLException;
}

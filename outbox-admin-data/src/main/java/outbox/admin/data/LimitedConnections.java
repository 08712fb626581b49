package outbox.admin.data;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import outbox.internal.connection.ConnectionProxy;
import outbox.spi.ConnectionProvider;

/** Connections whose statements have a time limit, for the library's own stores. */
final class LimitedConnections implements ConnectionProvider {
  private final DataSource dataSource;
  private final int seconds;

  LimitedConnections(DataSource dataSource, Duration limit) {
    this.dataSource = dataSource;
    this.seconds = (int) Math.max(1, limit.plusMillis(999).toSeconds());
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = dataSource.getConnection();
    return ConnectionProxy.of(
        (proxy, method, arguments) -> {
          if (method.getName().equals("close")) {
            close(connection);
            return null;
          }
          Object result = ConnectionProxy.forward(connection, method, arguments);
          if (result instanceof Statement statement) {
            statement.setQueryTimeout(seconds);
          }
          return result;
        });
  }

  /** H2 keeps the limit of a statement for the whole session, so it is taken back. */
  private static void close(Connection connection) throws SQLException {
    try (connection) {
      if (!connection.isClosed()) {
        try (Statement statement = connection.createStatement()) {
          statement.setQueryTimeout(0);
        }
      }
    }
  }
}

package outbox.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import outbox.Retention;
import outbox.internal.connection.NetworkLimit;
import outbox.internal.engine.health.StoppableConnections;
import outbox.internal.retention.Housekeeper;
import outbox.internal.util.Deadline;
import outbox.jdbc.internal.pool.BorrowedConnection;
import outbox.spi.Chore;
import outbox.spi.ConnectionProvider;

/** The housekeeper of one database, and the connections of its chores. Thread-safe. */
final class Housekeeping {
  private static final Logger LOG = System.getLogger(Housekeeper.class.getName());

  private final Housekeeper housekeeper;
  private final StoppableConnections provider;
  private final Duration networkTimeout;

  Housekeeping(Retention pace, ConnectionProvider connections, Duration networkTimeout) {
    this.housekeeper = new Housekeeper(pace);
    this.provider = new StoppableConnections(connections);
    this.networkTimeout = networkTimeout;
  }

  void add(Chore chore) {
    housekeeper.add(chore);
  }

  /** A connection with the network timeout until it is closed. */
  Connection connection() throws SQLException {
    Connection connection = provider.getConnection();
    try {
      NetworkLimit limit = NetworkLimit.on(connection, networkTimeout);
      return BorrowedConnection.of(connection, returned -> giveBack(returned, limit));
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private static void giveBack(Connection connection, NetworkLimit limit) {
    try (connection) {
      limit.lift();
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "connection could not be given back cleanly", e);
    }
  }

  /** Begins no further batch, and ends the wait of one for a connection. Does not block. */
  void stop() {
    housekeeper.stop();
    provider.stop();
  }

  void close(Deadline deadline) {
    housekeeper.close(deadline);
  }
}

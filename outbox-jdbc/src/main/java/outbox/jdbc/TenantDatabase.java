package outbox.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import outbox.routing.OutboxDatabase;
import outbox.spi.ConnectionProvider;

/**
 * One database of many: how its connections are opened, each with a limit for the time in which the
 * database must answer. Thread-safe.
 */
final class TenantDatabase {
  private static final Logger LOG = System.getLogger(JdbcOutboxes.class.getName());

  private final String identifier;
  private final ConnectionProvider connections;
  private final JdbcOutboxRepository events;
  private final int networkTimeoutMs;
  private final ConnectAttempts attempts;
  private final ReentrantLock deploying = new ReentrantLock();
  private volatile boolean schemaPending;
  private volatile boolean closed;

  /**
   * Opens nothing yet.
   *
   * @param attempts bounds those of the application that wait for a connection
   */
  TenantDatabase(
      OutboxDatabase database,
      JdbcOutboxRepository events,
      boolean createSchema,
      Duration networkTimeout,
      ConnectAttempts attempts) {
    this.identifier = database.identifier();
    DataSource given = database.dataSource();
    this.connections = given != null ? given::getConnection : UrlConnections.of(database);
    this.events = events;
    this.networkTimeoutMs = (int) Math.min(Integer.MAX_VALUE, networkTimeout.toMillis());
    this.attempts = attempts;
    this.schemaPending = createSchema;
  }

  /** A new connection; before the first, what is missing of the schema is created if asked for. */
  Connection open() throws SQLException {
    Connection connection = connections.getConnection();
    boolean usable = false;
    try {
      limitNetwork(connection);
      if (!connection.getAutoCommit()) {
        connection.setAutoCommit(true);
      }
      if (schemaPending) {
        deployOnce(connection);
      }
      usable = true;
      return connection;
    } finally {
      if (!usable) {
        abort(connection);
      }
    }
  }

  /** The lock is held until the schema is there: who comes second cannot do without it. */
  private void deployOnce(Connection connection) throws SQLException {
    if (!locked()) {
      throw new SQLTransientConnectionException(
          "schema of store=" + identifier + " is still being created", "08001");
    }
    try {
      if (schemaPending) {
        ConnectionProvider opened = () -> BorrowedConnection.of(connection, kept -> {});
        events.deploySchema(opened);
        schemaPending = false;
      }
    } finally {
      deploying.unlock();
    }
  }

  private boolean locked() throws SQLException {
    try {
      return deploying.tryLock(networkTimeoutMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException(
          "interrupted while the schema of store=" + identifier + " was created", "08001", e);
    }
  }

  /**
   * Undoes what a borrower left behind, an open transaction or another time limit; false if the
   * connection is no longer usable.
   */
  boolean reset(Connection connection) {
    try {
      if (connection.isClosed()) {
        return false;
      }
      if (!connection.getAutoCommit()) {
        connection.rollback();
        connection.setAutoCommit(true);
      }
      limitNetwork(connection);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private void limitNetwork(Connection connection) throws SQLException {
    try {
      if (connection.getNetworkTimeout() != networkTimeoutMs) {
        connection.setNetworkTimeout(Runnable::run, networkTimeoutMs);
      }
    } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
      LOG.log(Level.DEBUG, "the driver of store={0} knows no network timeout", identifier);
    }
  }

  /** Ends a connection without asking the database, which may not answer. */
  static void abort(Connection connection) {
    try (connection) {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "connection did not end cleanly", e);
    }
  }

  ConnectAttempts attempts() {
    return attempts;
  }

  boolean isClosed() {
    return closed;
  }

  void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return identifier;
  }
}

package outbox.jdbc.internal.pool;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.routing.OutboxDatabase;
import outbox.spi.ConnectionProvider;

/**
 * One database of many: how its connections are opened, each with a limit for the time in which the
 * database must answer. Thread-safe.
 */
public final class TenantDatabase {
  /** Operators know the connections of many databases by the name of what they belong to. */
  static final String LOGGER = "outbox.jdbc.JdbcOutboxes";

  private static final Logger LOG = System.getLogger(LOGGER);

  private final String identifier;
  private final ConnectionProvider connections;
  private final Consumer<ConnectionProvider> schema;
  private final int networkTimeoutMs;
  private final ConnectAttempts attempts;
  private final ReentrantLock deploying = new ReentrantLock();
  private volatile boolean schemaPending;
  private volatile boolean closed;

  /**
   * Opens nothing yet.
   *
   * @param schema creates what is missing of the schema; null if it must be there
   * @param attempts bounds those of the application that wait for a connection
   */
  public TenantDatabase(
      OutboxDatabase database,
      @Nullable Consumer<ConnectionProvider> schema,
      Duration networkTimeout,
      ConnectAttempts attempts) {
    this.identifier = database.identifier();
    DataSource given = database.dataSource();
    this.connections = given != null ? given::getConnection : UrlConnections.of(database);
    this.schema = schema == null ? none -> {} : schema;
    this.networkTimeoutMs = (int) Math.min(Integer.MAX_VALUE, networkTimeout.toMillis());
    this.attempts = attempts;
    this.schemaPending = schema != null;
  }

  /** A new connection; before the first, what is missing of the schema is created if asked for. */
  public Connection open() throws SQLException {
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
        schema.accept(BorrowedConnection.lent(connection));
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
  public boolean reset(Connection connection) {
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
  public static void abort(Connection connection) {
    try (connection) {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "connection did not end cleanly", e);
    }
  }

  public ConnectAttempts attempts() {
    return attempts;
  }

  public boolean isClosed() {
    return closed;
  }

  public void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return identifier;
  }
}

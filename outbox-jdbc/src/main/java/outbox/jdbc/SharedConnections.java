package outbox.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import outbox.jdbc.ConnectionBound.User;
import outbox.jdbc.WarmConnections.Warm;

/**
 * The connections of many databases within one bound: opened on demand, given back after use, and
 * kept warm until another database needs the room. Thread-safe.
 */
final class SharedConnections implements AutoCloseable {
  private static final Logger LOG = System.getLogger(JdbcOutboxes.class.getName());
  private static final Duration IDLE_LIMIT = Duration.ofSeconds(30);
  private static final long TRUSTED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int VALIDATION_SECONDS = 2;

  private final ConnectionBound bound;
  private final WarmConnections warm;

  SharedConnections(int max) {
    this.bound = new ConnectionBound(max);
    this.warm = new WarmConnections(max, IDLE_LIMIT);
  }

  /** A connection in auto-commit mode; closing it gives it back. */
  Connection borrow(TenantDatabase database, User user, Duration limit) throws SQLException {
    bound.acquire(user, limit, database);
    Connection connection = null;
    try {
      connection = connect(database);
      return Loan.of(connection, returned -> giveBack(database, user, returned));
    } finally {
      if (connection == null) {
        bound.release(user);
      }
    }
  }

  private Connection connect(TenantDatabase database) throws SQLException {
    Warm kept = warm.take(database);
    while (kept != null && !isAlive(kept)) {
      closeNow(kept.connection());
      kept = warm.take(database);
    }
    return kept != null ? kept.connection() : open(database);
  }

  private static boolean isAlive(Warm kept) {
    try {
      return System.nanoTime() - kept.since() < TRUSTED_NANOS
          || kept.connection().isValid(VALIDATION_SECONDS);
    } catch (SQLException e) {
      return false;
    }
  }

  private Connection open(TenantDatabase database) throws SQLException {
    awaitPlace(database);
    Connection opened = null;
    try {
      opened = database.open();
      return opened;
    } finally {
      if (opened == null) {
        warm.leavePlace();
      }
    }
  }

  private void awaitPlace(TenantDatabase database) throws SQLException {
    try {
      for (Warm evicted = warm.takePlace(); evicted != null; evicted = warm.takePlace()) {
        closeNow(evicted.connection());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException(
          "interrupted while waiting for a connection for store=" + database, "08001", e);
    }
  }

  private void giveBack(TenantDatabase database, User user, Connection connection) {
    try {
      if (!isReset(connection) || !warm.keep(database, connection)) {
        closeNow(connection);
      }
      Warm superfluous = warm.takeSuperfluous();
      if (superfluous != null) {
        closeNow(superfluous.connection());
      }
    } finally {
      bound.release(user);
    }
  }

  /** Undoes what a transaction left behind; false if the connection is no longer usable. */
  private static boolean isReset(Connection connection) {
    try {
      if (connection.isClosed()) {
        return false;
      }
      if (!connection.getAutoCommit()) {
        connection.rollback();
        connection.setAutoCommit(true);
      }
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private void closeNow(Connection connection) {
    closeQuietly(connection);
    warm.leavePlace();
  }

  private static void closeQuietly(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "connection did not close cleanly", e);
    }
  }

  /** Closes what is warm of a database that is no longer served. */
  void forget(TenantDatabase database) {
    for (Warm one = warm.take(database); one != null; one = warm.take(database)) {
      closeNow(one.connection());
    }
  }

  /** Closes what is warm; what is in use is closed when it is given back. */
  @Override
  public void close() {
    for (Warm one = warm.takeForClose(); one != null; one = warm.takeForClose()) {
      closeNow(one.connection());
    }
  }
}

package outbox.jdbc.internal.pool;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.pool.ConnectionBound.User;
import outbox.jdbc.internal.pool.WarmConnections.Warm;
import outbox.spi.ConnectionsBusyException;

/**
 * The connections of many databases within one bound: opened on demand, given back after use, and
 * kept warm until another database needs the room. Thread-safe.
 */
public final class SharedConnections implements AutoCloseable {
  private static final Logger LOG = System.getLogger(TenantDatabase.LOGGER);
  private static final Duration IDLE_LIMIT = Duration.ofSeconds(30);
  private static final long TRUSTED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int VALIDATION_SECONDS = 2;
  private static final int CONNECTIONS_PER_OPENING = 8;

  private final ConnectionBound bound;
  private final WarmConnections warm;

  public SharedConnections(int max) {
    this.bound = new ConnectionBound(max);
    this.warm = new WarmConnections(max, IDLE_LIMIT);
  }

  /** For each database: how many of the application may wait for a connection of it. */
  public ConnectAttempts attempts() {
    return new ConnectAttempts(Math.max(1, bound.max() / CONNECTIONS_PER_OPENING));
  }

  /** A connection in auto-commit mode; closing it gives it back. */
  public Connection borrow(TenantDatabase database, User user, Duration limit) throws SQLException {
    return user == User.APPLICATION ? borrowInTurn(database, limit) : lend(database, user, limit);
  }

  private Connection borrowInTurn(TenantDatabase database, Duration limit) throws SQLException {
    ConnectAttempts attempts = database.attempts();
    Duration rest = attempts.enter(limit, database);
    try {
      Connection connection = lend(database, User.APPLICATION, rest);
      attempts.answered(true);
      return connection;
    } catch (ConnectionsBusyException e) {
      throw e;
    } catch (SQLException | RuntimeException e) {
      attempts.answered(false);
      throw e;
    } finally {
      attempts.leave();
    }
  }

  private Connection lend(TenantDatabase database, User user, Duration limit) throws SQLException {
    bound.acquire(user, limit, database);
    Connection connection = null;
    try {
      connection = connect(database);
      return BorrowedConnection.of(connection, returned -> giveBack(database, user, returned));
    } finally {
      if (connection == null) {
        bound.release(user);
      }
    }
  }

  private Connection connect(TenantDatabase database) throws SQLException {
    for (Warm kept = take(database); kept != null; kept = take(database)) {
      if (kept.database() == database && isAlive(kept)) {
        return kept.connection();
      }
      closeNow(kept.connection());
    }
    return open(database);
  }

  private @Nullable Warm take(TenantDatabase database) throws SQLException {
    try {
      return warm.take(database);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConnectionsBusyException(
          "interrupted while waiting for a connection for store=" + database, e);
    }
  }

  private static boolean isAlive(Warm kept) {
    try {
      return System.nanoTime() - kept.since() < TRUSTED_NANOS
          || kept.connection().isValid(VALIDATION_SECONDS);
    } catch (SQLException e) {
      return false;
    }
  }

  /** In the place that was taken for it. */
  private Connection open(TenantDatabase database) throws SQLException {
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

  private void giveBack(TenantDatabase database, User user, Connection connection) {
    try {
      if (!database.reset(connection)) {
        TenantDatabase.abort(connection);
        warm.leavePlace();
      } else if (!warm.keep(database, connection)) {
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
  public void forget(TenantDatabase database) {
    for (Warm one = warm.takeIdle(database); one != null; one = warm.takeIdle(database)) {
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

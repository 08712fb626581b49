package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import outbox.spi.StoreException;

/**
 * Makes an operation atomic on a connection in auto-commit mode, and tries it again after a
 * deadlock; on any other connection it joins the caller's transaction.
 */
final class OwnTransaction {
  private static final int MAX_TRIES = 5;

  private OwnTransaction() {}

  /** For an operation that is one statement, and so atomic already. */
  static <T> T single(Connection conn, Dialect dialect, Supplier<T> work) {
    return autoCommits(conn) ? retried(dialect, work) : work.get();
  }

  static <T> T of(Connection conn, Dialect dialect, Supplier<T> work) {
    return autoCommits(conn) ? retried(dialect, () -> committed(conn, dialect, work)) : work.get();
  }

  private static <T> T retried(Dialect dialect, Supplier<T> work) {
    for (int tries = 1; ; tries++) {
      try {
        return work.get();
      } catch (StoreException e) {
        boolean again = e.getCause() instanceof SQLException cause && dialect.isTransient(cause);
        if (tries == MAX_TRIES || !again) {
          throw e;
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000L << tries));
      }
    }
  }

  private static <T> T committed(Connection conn, Dialect dialect, Supplier<T> work) {
    try {
      conn.setAutoCommit(false);
      T result;
      try {
        dialect.transactionBegun(conn);
        result = work.get();
        conn.commit();
      } catch (SQLException | RuntimeException e) {
        rollBack(conn, e);
        throw e;
      }
      conn.setAutoCommit(true);
      return result;
    } catch (SQLException e) {
      throw new StoreException("transaction of the store failed, SQLState " + e.getSQLState(), e);
    }
  }

  private static void rollBack(Connection conn, Exception cause) {
    try {
      conn.rollback();
      conn.setAutoCommit(true);
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  private static boolean autoCommits(Connection conn) {
    try {
      return conn.getAutoCommit();
    } catch (SQLException e) {
      throw new StoreException("the connection is unusable", e);
    }
  }
}

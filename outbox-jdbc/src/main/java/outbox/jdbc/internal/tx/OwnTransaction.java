package outbox.jdbc.internal.tx;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.util.Pause;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.spi.StoreException;

/**
 * Makes an operation atomic on a connection in auto-commit mode, at READ COMMITTED whatever the
 * connection's level is, and tries it again after a deadlock or a serialization failure; on any
 * other connection it joins the caller's transaction.
 */
public final class OwnTransaction {
  private static final int MAX_TRIES = 5;
  private static final int MAX_PATIENT_TRIES = 12;

  private OwnTransaction() {}

  /**
   * For an operation that is one statement, and so atomic already. What the connection's level
   * makes it fail by is tried again at READ COMMITTED.
   */
  public static <T> T single(Connection conn, Dialect dialect, Supplier<T> work) {
    if (!autoCommits(conn)) {
      return work.get();
    }
    boolean alone = dialect.runsAlone(conn);
    return retried(
        dialect,
        MAX_TRIES,
        tries -> alone && tries == 1 ? work.get() : committed(conn, dialect, work));
  }

  public static <T> T of(Connection conn, Dialect dialect, Supplier<T> work) {
    return of(conn, dialect, MAX_TRIES, work);
  }

  /**
   * As {@link #of}, tried more often: for a statement that writes many rows at once, which
   * deadlocks again and again on InnoDB while others write the same ones.
   */
  public static <T> T patiently(Connection conn, Dialect dialect, Supplier<T> work) {
    return of(conn, dialect, MAX_PATIENT_TRIES, work);
  }

  private static <T> T of(Connection conn, Dialect dialect, int maxTries, Supplier<T> work) {
    return autoCommits(conn)
        ? retried(dialect, maxTries, tries -> committed(conn, dialect, work))
        : work.get();
  }

  /**
   * For the end of events that joins count, which a continuation waits for: without a round trip
   * for the level where a higher one makes it fail, and so be tried again at READ COMMITTED.
   */
  public static <T> T ending(Connection conn, Dialect dialect, Supplier<T> work) {
    if (!dialect.endsAtAnyLevel()) {
      return of(conn, dialect, work);
    }
    return autoCommits(conn)
        ? retried(
            dialect,
            MAX_TRIES,
            tries -> tries == 1 ? atItsLevel(conn, work) : committed(conn, dialect, work))
        : work.get();
  }

  private static <T> T atItsLevel(Connection conn, Supplier<T> work) {
    try {
      return inTransaction(conn, opened -> work.get());
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private static <T> T retried(Dialect dialect, int maxTries, IntFunction<T> attempt) {
    for (int tries = 1; ; tries++) {
      try {
        return attempt.apply(tries);
      } catch (StoreException e) {
        boolean again = e.getCause() instanceof SQLException cause && dialect.isTransient(cause);
        if (tries == maxTries || !again) {
          throw e;
        }
        Pause.of(Duration.ofNanos(ThreadLocalRandom.current().nextLong(1_000_000L << tries)));
      }
    }
  }

  private static <T> T committed(Connection conn, Dialect dialect, Supplier<T> work) {
    try {
      int level = dialect.sessionLevel(conn);
      setLevel(conn, level, Connection.TRANSACTION_READ_COMMITTED);
      T result;
      try {
        result =
            inTransaction(
                conn,
                opened -> {
                  dialect.transactionBegun(opened);
                  return work.get();
                });
      } catch (SQLException | RuntimeException | Error e) {
        restoreLevel(conn, level, e);
        throw e;
      }
      setLevel(conn, Connection.TRANSACTION_READ_COMMITTED, level);
      return result;
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /**
   * Commits the work on a connection in auto-commit mode, at its level, or rolls it back; the
   * connection is in that mode again then.
   */
  public static <T extends @Nullable Object> T inTransaction(Connection conn, Work<T> work)
      throws SQLException {
    conn.setAutoCommit(false);
    T result;
    try {
      result = work.on(conn);
      conn.commit();
    } catch (SQLException | RuntimeException | Error e) {
      rollBack(conn, e);
      throw e;
    }
    conn.setAutoCommit(true);
    return result;
  }

  private static StoreException failed(SQLException e) {
    return new StoreException("transaction of the store failed, SQLState " + e.getSQLState(), e);
  }

  private static void setLevel(Connection conn, int from, int to) throws SQLException {
    if (from != to && !conn.isClosed()) {
      conn.setTransactionIsolation(to);
    }
  }

  private static void restoreLevel(Connection conn, int level, Throwable cause) {
    try {
      setLevel(conn, Connection.TRANSACTION_READ_COMMITTED, level);
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  private static void rollBack(Connection conn, Throwable cause) {
    try {
      conn.rollback();
      conn.setAutoCommit(true);
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  public static boolean autoCommits(Connection conn) {
    try {
      return conn.getAutoCommit();
    } catch (SQLException e) {
      throw new StoreException("the connection is unusable", e);
    }
  }

  /** What is done in a transaction. */
  @FunctionalInterface
  public interface Work<T extends @Nullable Object> {
    T on(Connection conn) throws SQLException;
  }
}

package outbox.jdbc.internal.sql;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.spi.TransactionWatch;

/**
 * A statement on a connection with a network timeout. The client gives such a connection up when
 * the time is over, but a server that waits for a lock does not notice: it would keep a session
 * waiting for each statement that was given up. So the statement is cancelled in the server a
 * little earlier.
 *
 * <p>A cancelled statement counts as failed, even if it returns a result: a commit that waited for
 * a replica ends early when it is cancelled.
 */
public final class LimitedStatement {
  private static final Logger LOG = System.getLogger("outbox.jdbc.LimitedStatement");
  private static final int MARGINS_PER_LIMIT = 4;
  private static final long LONGEST_MARGIN_NANOS = Duration.ofSeconds(2).toNanos();

  private final Connection conn;
  private final PreparedStatement statement;
  private final Dialect dialect;
  private final long marginNanos;
  private final long overdueAt;
  private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
  private final CountDownLatch cancelled = new CountDownLatch(1);

  private enum State {
    RUNNING,
    CANCELLED,
    ENDED
  }

  public LimitedStatement(
      Connection conn, PreparedStatement statement, Dialect dialect, long limitNanos) {
    this.conn = conn;
    this.statement = statement;
    this.dialect = dialect;
    this.marginNanos = Math.min(limitNanos / MARGINS_PER_LIMIT, LONGEST_MARGIN_NANOS);
    this.overdueAt = System.nanoTime() + limitNanos - marginNanos;
  }

  /** Runs the statement, within the network timeout of its connection if that has one. */
  public static <T> T run(
      Connection conn, PreparedStatement statement, Dialect dialect, Execution<T> execution)
      throws SQLException {
    int limitMillis = networkTimeout(conn);
    if (limitMillis <= 0) {
      return execution.on(statement);
    }
    long limitNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
    return new LimitedStatement(conn, statement, dialect, limitNanos).run(execution);
  }

  private static int networkTimeout(Connection conn) throws SQLException {
    try {
      return conn.getNetworkTimeout();
    } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
      return 0;
    }
  }

  private <T> T run(Execution<T> execution) throws SQLException {
    StatementWatch.SHARED.add(this);
    T result;
    try {
      result = execution.on(statement);
    } finally {
      StatementWatch.SHARED.remove(this);
      if (!state.compareAndSet(State.RUNNING, State.ENDED)) {
        awaitCancellation();
      }
    }
    if (state.get() == State.CANCELLED) {
      throw new SQLTimeoutException(
          "cancelled, because it took almost as long as the network timeout of its connection",
          "57014");
    }
    return result;
  }

  /** How often to look whether it is overdue, so that it is cancelled well before its limit. */
  long tickNanos() {
    return marginNanos / 2;
  }

  void cancelIfOverdue(long nowNanos) {
    if (nowNanos - overdueAt >= 0 && state.compareAndSet(State.RUNNING, State.CANCELLED)) {
      // Not here: this may wait for the network, and other statements are overdue meanwhile.
      Thread thread = new Thread(this::cancel, "outbox-statement-cancel");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void cancel() {
    try {
      dialect.cancel(TransactionWatch.unwatched(conn), statement);
    } catch (SQLException | RuntimeException e) {
      LOG.log(Level.DEBUG, "statement could not be cancelled", e);
    } finally {
      cancelled.countDown();
    }
  }

  /**
   * A cancellation that is still under way might hit the next statement of the connection, which
   * therefore gets none.
   */
  private void awaitCancellation() throws SQLException {
    try {
      if (!conn.isClosed() && !cancelled.await(marginNanos, TimeUnit.NANOSECONDS)) {
        TransactionWatch.unwatched(conn).abort(Runnable::run);
      }
    } catch (InterruptedException e) {
      TransactionWatch.unwatched(conn).abort(Runnable::run);
      Thread.currentThread().interrupt();
    }
  }

  @FunctionalInterface
  public interface Execution<T> {
    T on(PreparedStatement statement) throws SQLException;
  }
}

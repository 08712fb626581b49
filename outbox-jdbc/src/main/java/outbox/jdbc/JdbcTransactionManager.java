package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.connection.NetworkLimit;
import outbox.jdbc.internal.tx.ActiveTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;
import outbox.spi.TransactionRunner;

/**
 * Begins transactions on plain JDBC connections and shows them to the outbox through a {@link
 * ThreadLocalTxContext}. For applications without a transaction framework. Thread-safe; each
 * transaction belongs to the thread that began it.
 */
public final class JdbcTransactionManager implements TransactionRunner {
  private static final Logger LOG = System.getLogger(JdbcTransactionManager.class.getName());
  private static final Work NOTHING = connection -> {};

  private final ConnectionProvider connectionProvider;
  private final ThreadLocalTxContext txContext;

  public JdbcTransactionManager(
      ConnectionProvider connectionProvider, ThreadLocalTxContext txContext) {
    this.connectionProvider = requireNonNull(connectionProvider, "connectionProvider");
    this.txContext = requireNonNull(txContext, "txContext");
  }

  /**
   * Begins a transaction on a new connection.
   *
   * @throws IllegalStateException if the thread has a transaction already: there is no nesting
   * @throws StoreException if there is no connection to be had
   */
  public Transaction begin() {
    return begin(null);
  }

  private Transaction begin(@Nullable Duration networkTimeout) {
    if (txContext.isTransactionActive()) {
      throw new IllegalStateException(
          "a transaction is active on this thread already; complete it first, or set a savepoint"
              + " on its connection");
    }
    try {
      return open(networkTimeout);
    } catch (SQLException e) {
      throw new StoreException("begin failed", e);
    }
  }

  @Override
  public void run(Work work) throws Exception {
    requireNonNull(work, "work");
    runIn(begin(), work);
  }

  @Override
  public void run(Work work, Duration networkTimeout) throws Exception {
    requireNonNull(work, "work");
    runIn(begin(requireNonNull(networkTimeout, "networkTimeout")), work);
  }

  private static void runIn(Transaction begun, Work work) throws Exception {
    try (Transaction transaction = begun) {
      work.run(transaction.connection());
      transaction.commit(work);
    }
  }

  private Transaction open(@Nullable Duration networkTimeout) throws SQLException {
    Connection connection = connectionProvider.getConnection();
    NetworkLimit limit = null;
    try {
      limit = networkTimeout == null ? null : NetworkLimit.on(connection, networkTimeout);
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      return new Transaction(txContext, connection, autoCommit, limit);
    } catch (SQLException | RuntimeException e) {
      giveBack(connection, limit);
      throw e;
    }
  }

  private static void giveBack(Connection connection, @Nullable NetworkLimit limit) {
    try (connection) {
      if (limit != null) {
        limit.lift();
      }
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "connection could not be given back cleanly", e);
    }
  }

  /**
   * A running transaction. Closing it without a commit rolls it back. The connection goes back as
   * soon as the outcome stands; callbacks run after that.
   */
  public static final class Transaction implements AutoCloseable {
    private final ThreadLocalTxContext txContext;
    private final Connection target;
    private final boolean autoCommit;
    private final @Nullable NetworkLimit limit;
    private final ActiveTransaction active;
    private boolean completed;

    private Transaction(
        ThreadLocalTxContext txContext,
        Connection target,
        boolean autoCommit,
        @Nullable NetworkLimit limit) {
      this.txContext = txContext;
      this.target = target;
      this.autoCommit = autoCommit;
      this.limit = limit;
      this.active = new ActiveTransaction(target);
      txContext.bind(active);
    }

    /** The connection for the business operations; the manager commits and closes it. */
    public Connection connection() {
      return active.connection();
    }

    /**
     * Commits, then runs the callbacks that wait for it.
     *
     * @throws IllegalStateException if the transaction is completed, or another thread's
     * @throws StoreException if the commit failed; when the connection broke, its outcome is
     *     unknown. The callbacks for a rollback have run.
     */
    public void commit() {
      commit(NOTHING);
    }

    private void commit(Work work) {
      checkUsable();
      try {
        work.committing();
        target.commit();
      } catch (SQLException e) {
        rollBackQuietly();
        complete();
        work.ended(false);
        active.callbacks().rolledBack();
        throw new StoreException("commit failed", e);
      }
      complete();
      work.ended(true);
      active.callbacks().committed();
    }

    /**
     * Rolls back, then runs the callbacks that wait for it.
     *
     * @throws IllegalStateException if the transaction is completed, or another thread's
     * @throws StoreException if the database did not answer; it rolls back by itself then
     */
    public void rollback() {
      checkUsable();
      try {
        target.rollback();
      } catch (SQLException e) {
        throw new StoreException("rollback failed", e);
      } finally {
        complete();
        active.callbacks().rolledBack();
      }
    }

    /** Rolls back unless the transaction is completed. */
    @Override
    public void close() {
      if (!completed) {
        rollback();
      }
    }

    private void checkUsable() {
      if (completed) {
        throw new IllegalStateException("the transaction is completed already");
      }
      if (!txContext.holds(active)) {
        throw new IllegalStateException("the transaction belongs to another thread");
      }
    }

    private void complete() {
      completed = true;
      txContext.unbind();
      try {
        target.setAutoCommit(autoCommit);
      } catch (SQLException e) {
        LOG.log(Level.DEBUG, "connection could not be set back to its mode", e);
      }
      giveBack(target, limit);
    }

    private void rollBackQuietly() {
      try {
        target.rollback();
      } catch (SQLException e) {
        LOG.log(Level.DEBUG, "rollback after a failed commit failed too", e);
      }
    }
  }
}

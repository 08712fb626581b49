package outbox.testing.memory;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

/**
 * Transactions of an {@link InMemoryEventStore}, one per thread. Stands in a test where the
 * application's transaction manager stands in production. Thread-safe.
 */
public final class InMemoryTransactions implements TxContext, TransactionRunner {
  private final ConnectionProvider connections;
  private final boolean seesSavepointRollbacks;

  @SuppressWarnings("ThreadLocalUsage") // each instance is a context of its own
  private final ThreadLocal<@Nullable Transaction> current = new ThreadLocal<>();

  InMemoryTransactions(ConnectionProvider connections, boolean seesSavepointRollbacks) {
    this.connections = connections;
    this.seesSavepointRollbacks = seesSavepointRollbacks;
  }

  /**
   * Returns transactions that do not see rollbacks to a savepoint, as some transaction managers do
   * not.
   */
  public InMemoryTransactions blindToSavepointRollbacks() {
    return new InMemoryTransactions(connections, false);
  }

  /** Begins the calling thread's transaction and returns its connection. */
  public Connection begin() throws SQLException {
    if (current.get() != null) {
      throw new IllegalStateException(
          "this thread has a transaction already; commit() or rollback() it first");
    }
    Connection connection = connections.getConnection();
    connection.setAutoCommit(false);
    current.set(new Transaction(connection));
    return connection;
  }

  /** Commits, then runs the callbacks on this thread. */
  public void commit() throws SQLException {
    Transaction transaction = required();
    transaction.connection.commit();
    end(transaction, transaction.afterCommit);
  }

  /** Rolls back, then runs the callbacks on this thread. */
  public void rollback() throws SQLException {
    Transaction transaction = required();
    List<Runnable> callbacks = List.copyOf(transaction.afterRollback);
    transaction.connection.rollback();
    end(transaction, callbacks);
  }

  @Override
  public void run(Work work) throws Exception {
    requireNonNull(work, "work");
    Connection connection = begin();
    try {
      work.run(connection);
    } catch (Throwable e) {
      rollback();
      throw e;
    }
    commit();
  }

  @Override
  public boolean isTransactionActive() {
    return current.get() != null;
  }

  @Override
  public Connection currentConnection() {
    return required().connection;
  }

  @Override
  public void afterCommit(Runnable callback) {
    Transaction transaction = required();
    register(transaction, transaction.afterCommit, requireNonNull(callback, "callback"));
  }

  @Override
  public void afterRollback(Runnable callback) {
    Transaction transaction = required();
    register(transaction, transaction.afterRollback, requireNonNull(callback, "callback"));
  }

  @Override
  public boolean seesSavepointRollbacks() {
    return seesSavepointRollbacks;
  }

  private void register(Transaction transaction, List<Runnable> callbacks, Runnable callback) {
    callbacks.add(callback);
    if (seesSavepointRollbacks) {
      transaction.onUndo(() -> callbacks.remove(callback));
    }
  }

  private void end(Transaction transaction, List<Runnable> callbacks) throws SQLException {
    current.remove();
    transaction.connection.close();
    callbacks.forEach(Runnable::run);
  }

  private Transaction required() {
    Transaction transaction = current.get();
    if (transaction == null) {
      throw new IllegalStateException("this thread has no transaction; begin() one first");
    }
    return transaction;
  }

  private static final class Transaction {
    private final Connection connection;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> afterRollback = new ArrayList<>();

    private Transaction(Connection connection) {
      this.connection = connection;
    }

    private void onUndo(Runnable action) {
      try {
        connection.unwrap(Session.class).onUndo(action);
      } catch (SQLException e) {
        throw new IllegalStateException("the connection is not of an in-memory store", e);
      }
    }
  }
}

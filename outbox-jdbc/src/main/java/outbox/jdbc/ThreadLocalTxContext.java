package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.tx.ActiveTransaction;
import outbox.spi.TxContext;

/**
 * The transaction that {@link JdbcTransactionManager} began on the calling thread. Share one
 * context between the transaction manager and the client; every thread sees its own transaction.
 *
 * <p>A rollback to a savepoint of {@link Connection} discards what was registered since. After a
 * savepoint made by SQL text, or another {@linkplain #commitDoubt doubt}, the dispatcher asks the
 * database before it delivers an event from memory.
 */
@SuppressWarnings("ThreadLocalUsage")
public final class ThreadLocalTxContext implements TxContext {
  private final ThreadLocal<@Nullable ActiveTransaction> current = new ThreadLocal<>();

  public ThreadLocalTxContext() {}

  @Override
  public boolean isTransactionActive() {
    return current.get() != null;
  }

  /**
   * The connection of the current transaction.
   *
   * @throws IllegalStateException if the thread has none
   */
  @Override
  public Connection currentConnection() {
    return required().connection();
  }

  @Override
  public void afterCommit(Runnable callback) {
    required().callbacks().afterCommit(requireNonNull(callback, "callback"));
  }

  @Override
  public void afterRollback(Runnable callback) {
    required().callbacks().afterRollback(requireNonNull(callback, "callback"));
  }

  @Override
  public boolean seesSavepointRollbacks() {
    return true;
  }

  @Override
  public BooleanSupplier commitDoubt() {
    return required()::isInDoubt;
  }

  void bind(ActiveTransaction transaction) {
    current.set(transaction);
  }

  boolean holds(ActiveTransaction transaction) {
    return current.get() == transaction;
  }

  void unbind() {
    current.remove();
  }

  private ActiveTransaction required() {
    ActiveTransaction transaction = current.get();
    if (transaction == null) {
      throw new IllegalStateException(
          "no transaction is active on this thread; begin one with inTransaction(…) of the outbox or"
              + " begin() of the JdbcTransactionManager");
    }
    return transaction;
  }
}

package outbox.spring;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import outbox.spi.TxContext;

/**
 * The Spring transaction of the calling thread, be it begun by {@code @Transactional}, by a {@code
 * TransactionTemplate} or by hand. Works with every transaction manager that binds the connection
 * of the data source to the thread: that of plain JDBC, that of JPA with Hibernate, and all that is
 * built on them, jOOQ included. Thread-safe.
 *
 * <p>A transaction that was suspended for another one ({@code REQUIRES_NEW}) keeps its own
 * callbacks. A rollback to a savepoint ({@code NESTED}, or those of {@code TransactionStatus})
 * discards what was registered since.
 */
public final class SpringTxContext implements TxContext {
  private static final boolean SEES_SAVEPOINTS =
      ClassUtils.hasMethod(TransactionSynchronization.class, "savepointRollback", Object.class);

  private final DataSource dataSource;
  private final BoundConnection bound;

  /**
   * The transactions of one data source. Let it {@link #watch} their manager.
   *
   * @param dataSource the one that the transaction manager has
   */
  public SpringTxContext(DataSource dataSource) {
    this.dataSource = target(requireNonNull(dataSource, "dataSource"));
    this.bound = new BoundConnection(this.dataSource);
  }

  /**
   * Follows the transactions of this manager from their beginning. Without that, a first publish
   * after the commit ({@code @TransactionalEventListener}) is not refused but only logged, since
   * Spring does not show that a transaction has committed to those who come later; and each event
   * costs a look into the database before its delivery, see {@link #seesSavepointRollbacks}.
   *
   * <p>The connection that the application gets in these transactions is {@linkplain
   * outbox.spi.TransactionWatch watched}, so that a failure which the application catches is noted.
   * Unwrap the connection to reach the driver's.
   */
  public SpringTxContext watch(ConfigurableTransactionManager transactionManager) {
    transactionManager.addListener(new Begin());
    return this;
  }

  /** Transaction managers bind the connection to the data source behind such a proxy. */
  static DataSource target(DataSource dataSource) {
    return dataSource instanceof TransactionAwareDataSourceProxy proxy
            && proxy.getTargetDataSource() != null
        ? proxy.getTargetDataSource()
        : dataSource;
  }

  @Override
  public boolean isTransactionActive() {
    return TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.isSynchronizationActive();
  }

  /**
   * The connection of the current transaction.
   *
   * @throws IllegalStateException if the thread has none, one of another data source, or one that
   *     has committed and is only cleaning up
   */
  @Override
  public Connection currentConnection() {
    String obstacle = obstacle();
    if (obstacle != null) {
      throw new IllegalStateException(obstacle);
    }
    return DataSourceUtils.getConnection(dataSource);
  }

  @Override
  public boolean isCurrent(Connection connection) {
    return obstacle() == null && TxContext.super.isCurrent(connection);
  }

  @Override
  public void afterCommit(Runnable callback) {
    callbacks().afterCommit(requireNonNull(callback, "callback"));
  }

  @Override
  public void afterRollback(Runnable callback) {
    callbacks().afterRollback(requireNonNull(callback, "callback"));
  }

  /**
   * True from Spring Framework 6.2 on for a transaction that is {@linkplain #watch watched} since
   * it began. The end that Spring will tell of any other may be that of another manager's
   * transaction, begun inside the one that the connection belongs to.
   */
  @Override
  public boolean seesSavepointRollbacks() {
    SynchronizedCallbacks mine = registered();
    return SEES_SAVEPOINTS && mine != null && mine.isSinceBegin();
  }

  @Override
  public BooleanSupplier commitDoubt() {
    SynchronizedCallbacks mine = registered();
    return mine == null ? () -> false : mine::isInDoubt;
  }

  /** Why the thread has no transaction to publish in; null if it has one. */
  private @Nullable String obstacle() {
    if (!isTransactionActive()) {
      return "no transaction is active on this thread; begin one with @Transactional or a"
          + " TransactionTemplate";
    }
    SynchronizedCallbacks mine = registered();
    if (mine != null && mine.isCommitted()) {
      return SynchronizedCallbacks.COMMITTED;
    }
    return bound.isTransactional()
        ? null
        : "the transaction of this thread is not one of the outbox's data source; use the"
            + " transaction manager of that data source, as in @Transactional(\"itsName\")";
  }

  private SynchronizedCallbacks callbacks() {
    String obstacle = obstacle();
    if (obstacle != null) {
      throw new IllegalStateException(obstacle);
    }
    SynchronizedCallbacks mine = registered();
    return mine != null ? mine : register(false);
  }

  private @Nullable SynchronizedCallbacks registered() {
    return TransactionSynchronizationManager.getResource(this) instanceof SynchronizedCallbacks mine
        ? mine
        : null;
  }

  private SynchronizedCallbacks register(boolean sinceBegin) {
    SynchronizedCallbacks created = new SynchronizedCallbacks(this, sinceBegin);
    TransactionSynchronizationManager.registerSynchronization(created);
    TransactionSynchronizationManager.bindResource(this, created);
    return created;
  }

  /**
   * Hears of nested transactions too, which are part of one that it knows; the synchronization that
   * is active there may be that of another manager.
   */
  private final class Begin implements TransactionExecutionListener {
    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
      if (failure == null
          && transaction.isNewTransaction()
          && isTransactionActive()
          && registered() == null) {
        register(true).watch(bound.watch());
      }
    }
  }
}

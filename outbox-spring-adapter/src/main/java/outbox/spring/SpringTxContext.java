package outbox.spring;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
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
 * discards what was registered since. A savepoint set on the JDBC connection itself goes unseen.
 */
public final class SpringTxContext implements TxContext {
  private static final boolean SEES_SAVEPOINTS =
      ClassUtils.hasMethod(TransactionSynchronization.class, "savepointRollback", Object.class);

  private final DataSource dataSource;

  /**
   * The transactions of one data source.
   *
   * @param dataSource the one that the transaction manager has
   */
  public SpringTxContext(DataSource dataSource) {
    this.dataSource = target(requireNonNull(dataSource, "dataSource"));
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
    requireTransaction();
    if (!(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder)) {
      throw new IllegalStateException(
          "the transaction of this thread is not one of the outbox's data source; use the"
              + " transaction manager of that data source, as in @Transactional(\"itsName\")");
    }
    if (TransactionSynchronizationManager.getResource(this) instanceof SynchronizedCallbacks mine) {
      mine.refuseIfCommitted();
    }
    return DataSourceUtils.getConnection(dataSource);
  }

  @Override
  public void afterCommit(Runnable callback) {
    callbacks().afterCommit(requireNonNull(callback, "callback"));
  }

  @Override
  public void afterRollback(Runnable callback) {
    callbacks().afterRollback(requireNonNull(callback, "callback"));
  }

  /** True from Spring Framework 6.2 on. */
  @Override
  public boolean seesSavepointRollbacks() {
    return SEES_SAVEPOINTS;
  }

  private SynchronizedCallbacks callbacks() {
    requireTransaction();
    if (TransactionSynchronizationManager.getResource(this) instanceof SynchronizedCallbacks mine) {
      return mine;
    }
    SynchronizedCallbacks created = new SynchronizedCallbacks(this);
    TransactionSynchronizationManager.registerSynchronization(created);
    TransactionSynchronizationManager.bindResource(this, created);
    return created;
  }

  private void requireTransaction() {
    if (!isTransactionActive()) {
      throw new IllegalStateException(
          "no transaction is active on this thread; begin one with @Transactional or a"
              + " TransactionTemplate");
    }
  }
}

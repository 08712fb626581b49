package outbox.spring;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.internal.connection.NetworkLimit;
import outbox.spi.TransactionRunner;

/**
 * Runs transactional listeners in new transactions of a Spring transaction manager, so that
 * whatever they call joins: repositories, {@code @Transactional} methods, a publish. Thread-safe.
 */
public final class SpringTransactionRunner implements TransactionRunner {
  private static final Logger LOG = System.getLogger(SpringTransactionRunner.class.getName());
  private static final TransactionDefinition NEW =
      new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

  private final PlatformTransactionManager transactionManager;
  private final DataSource dataSource;
  private final BoundConnection bound;

  /** A runner on the transaction manager of a data source. */
  public SpringTransactionRunner(
      PlatformTransactionManager transactionManager, DataSource dataSource) {
    this.transactionManager = requireNonNull(transactionManager, "transactionManager");
    this.dataSource = SpringTxContext.target(requireNonNull(dataSource, "dataSource"));
    this.bound = new BoundConnection(this.dataSource);
  }

  @Override
  public void run(Work work) throws Exception {
    TransactionStatus status = transactionManager.getTransaction(NEW);
    try {
      requireOwnConnection();
      work.run(DataSourceUtils.getConnection(dataSource));
    } catch (Throwable e) {
      rollBack(status, e);
      throw e;
    }
    transactionManager.commit(status);
  }

  /**
   * Limits every statement after the begin, the commit included. Spring begins the transaction
   * before it shows the connection, so a begin that sends a statement is not limited.
   *
   * <p>Managers other than that of plain JDBC may flush inside of their commit, for as long as that
   * takes. There the connection's network timeout alone limits each statement.
   */
  @Override
  public void run(Work work, Duration networkTimeout) throws Exception {
    run(
        connection -> {
          NetworkLimit limit = NetworkLimit.on(connection, networkTimeout);
          TransactionSynchronizationManager.registerSynchronization(
              new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                  lift(limit);
                }
              });
          work.run(connection);
          if (transactionManager instanceof DataSourceTransactionManager) {
            TransactionSynchronizationManager.registerSynchronization(new Committing(work));
          }
          TransactionSynchronizationManager.registerSynchronization(new Ended(work));
        });
  }

  /** Comes last before the commit: it is registered after those of the listeners. */
  private record Committing(Work work) implements TransactionSynchronization {
    @Override
    public void beforeCompletion() {
      work.committing();
    }
  }

  /** Comes first after the commit: before callbacks of the application, which may take long. */
  private record Ended(Work work) implements TransactionSynchronization, PriorityOrdered {
    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE;
    }

    @Override
    public void afterCommit() {
      work.ended(true);
    }

    @Override
    public void afterCompletion(int status) {
      if (status != STATUS_COMMITTED) {
        work.ended(false);
      }
    }
  }

  private static void lift(NetworkLimit limit) {
    try {
      limit.lift();
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "network timeout could not be set back", e);
    }
  }

  /** Watched also if no context watches the manager: listeners complete in sound transactions. */
  private void requireOwnConnection() {
    if (bound.watch() == null) {
      throw new IllegalStateException(
          "the transaction manager given to this runner ("
              + transactionManager.getClass().getName()
              + ") is not that of its data source; give it the one that is");
    }
  }

  private void rollBack(TransactionStatus status, Throwable reason) {
    try {
      transactionManager.rollback(status);
    } catch (TransactionException e) {
      reason.addSuppressed(e);
    }
  }
}

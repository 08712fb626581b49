package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.spi.TransactionRunner;

/** The network timeout of a listener's transaction, on a connection that no pool resets. */
class SpringTransactionRunnerTest {
  private static final Duration LIMIT = Duration.ofMillis(4321);

  @Test
  void limitHoldsUntilTheCommitAndIsLiftedAfterIt() throws Exception {
    AtomicInteger atCommit = new AtomicInteger();
    try (HikariDataSource pool = TestDatabases.postgres();
        Connection connection = pool.getConnection()) {
      runner(connection)
          .run(
              given -> {
                assertThat(given.getNetworkTimeout()).isEqualTo(LIMIT.toMillis());
                TransactionSynchronizationManager.registerSynchronization(
                    new TransactionSynchronization() {
                      @Override
                      public void afterCommit() {
                        atCommit.set(networkTimeout(connection));
                      }
                    });
              },
              LIMIT);

      assertThat(atCommit).hasValue((int) LIMIT.toMillis());
      assertThat(networkTimeout(connection)).isZero();
    }
  }

  @Test
  void limitIsLiftedAfterARollback() throws Exception {
    try (HikariDataSource pool = TestDatabases.postgres();
        Connection connection = pool.getConnection()) {
      assertThatThrownBy(
              () ->
                  runner(connection)
                      .run(
                          given -> {
                            throw new IllegalStateException("fails");
                          },
                          LIMIT))
          .hasMessage("fails");

      assertThat(networkTimeout(connection)).isZero();
    }
  }

  @Test
  void commitIsToldBetweenTheCallbacksBeforeAndAfterIt() throws Exception {
    List<String> steps = new ArrayList<>();
    try (HikariDataSource pool = TestDatabases.h2();
        Connection connection = pool.getConnection()) {
      runner(connection).run(new Told(steps), LIMIT);
    }

    assertThat(steps)
        .startsWith("beforeCommit", "beforeCompletion", "committing", "committed", "afterCommit");
  }

  /** Work that notes what it is told, and its callbacks. */
  private record Told(List<String> steps)
      implements TransactionRunner.Work, TransactionSynchronization {
    @Override
    public void run(Connection connection) {
      TransactionSynchronizationManager.registerSynchronization(this);
    }

    @Override
    public void committing() {
      steps.add("committing");
    }

    @Override
    public void ended(boolean committed) {
      steps.add("committed");
    }

    @Override
    public void beforeCommit(boolean readOnly) {
      steps.add("beforeCommit");
    }

    @Override
    public void beforeCompletion() {
      steps.add("beforeCompletion");
    }

    @Override
    public void afterCommit() {
      steps.add("afterCommit");
    }
  }

  private static SpringTransactionRunner runner(Connection connection) {
    SingleConnectionDataSource single = new SingleConnectionDataSource(connection, true);
    return new SpringTransactionRunner(new DataSourceTransactionManager(single), single);
  }

  private static int networkTimeout(Connection connection) {
    try {
      return connection.getNetworkTimeout();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}

package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

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

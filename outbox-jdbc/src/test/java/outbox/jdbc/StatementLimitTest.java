package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.H2Dialect;
import outbox.jdbc.internal.sql.LimitedStatement;

/** A statement and the network timeout of its connection, which H2 is made to have. */
@Timeout(120)
class StatementLimitTest {
  private static final int LIMIT_MILLIS = 400;
  private static final String ENDLESS =
      "SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000000000) WHERE MOD(X, 2) > 2";

  private final TestDatabase database = TestDatabase.create(Product.H2);
  private final Dialect dialect = new H2Dialect();
  private final CountDownLatch cancelling = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);

  @SuppressWarnings("NullAway.Init")
  private Connection connection;

  @BeforeEach
  void connect() throws SQLException {
    connection = new TimedConnections(database.dataSource()).dataSource().getConnection();
  }

  @AfterEach
  void close() throws SQLException {
    answer.countDown();
    connection.close();
    database.close();
  }

  @Test
  void oneThatOutlastsItIsCancelledAndItsConnectionStaysUsable() throws SQLException {
    connection.setNetworkTimeout(Runnable::run, LIMIT_MILLIS);
    try (PreparedStatement endless = connection.prepareStatement(ENDLESS)) {
      assertThatThrownBy(
              () ->
                  LimitedStatement.run(
                      connection, endless, dialect, PreparedStatement::executeQuery))
          .isInstanceOf(SQLException.class);
    }

    assertThat(connection.isValid(1)).isTrue();
  }

  @Test
  void oneThatWasCancelledHasFailedEvenIfItReturns() throws SQLException {
    connection.setNetworkTimeout(Runnable::run, LIMIT_MILLIS);
    answer.countDown();

    assertThatThrownBy(() -> runUntilCancelled(connection))
        .isInstanceOf(SQLTimeoutException.class)
        .hasMessageContaining("almost as long as the network timeout");
    assertThat(connection.isClosed()).isFalse();
  }

  @Test
  void aCancellationThatIsStillUnderWayHitsNoOtherStatement() throws SQLException {
    connection.setNetworkTimeout(Runnable::run, LIMIT_MILLIS);

    assertThatThrownBy(() -> runUntilCancelled(connection)).isInstanceOf(SQLTimeoutException.class);

    assertThat(connection.isClosed()).isTrue();
  }

  @Test
  void anInterruptWhileACancellationIsUnderWayIsKept() throws SQLException {
    connection.setNetworkTimeout(Runnable::run, LIMIT_MILLIS);

    assertThatThrownBy(
            () ->
                LimitedStatement.run(
                    connection,
                    cancelledLate(),
                    dialect,
                    statement -> {
                      awaitCancelling();
                      Thread.currentThread().interrupt();
                      return 1;
                    }))
        .isInstanceOf(SQLTimeoutException.class);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(connection.isClosed()).isTrue();
  }

  @Test
  void oneThatEndsInTimeReturnsItsResult() throws SQLException {
    connection.setNetworkTimeout(Runnable::run, 60_000);

    assertThat(LimitedStatement.<Integer>run(connection, cancelledLate(), dialect, it -> 7))
        .isEqualTo(7);
  }

  @Test
  void withoutATimeoutThereIsNoLimit() throws SQLException {
    assertThat(LimitedStatement.<Integer>run(connection, cancelledLate(), dialect, it -> 7))
        .isEqualTo(7);
    assertThat(LimitedStatement.<Integer>run(withoutTimeouts(), cancelledLate(), dialect, it -> 8))
        .isEqualTo(8);
  }

  private int runUntilCancelled(Connection on) throws SQLException {
    return LimitedStatement.run(
        on,
        cancelledLate(),
        dialect,
        statement -> {
          awaitCancelling();
          return 1;
        });
  }

  private void awaitCancelling() {
    try {
      assertThat(cancelling.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One whose cancellation ends only when the test says so. */
  private PreparedStatement cancelledLate() {
    return (PreparedStatement)
        Proxy.newProxyInstance(
            StatementLimitTest.class.getClassLoader(),
            new Class<?>[] {PreparedStatement.class},
            (proxy, method, arguments) -> {
              cancelling.countDown();
              answer.await();
              return null;
            });
  }

  private Connection withoutTimeouts() {
    return (Connection)
        Proxy.newProxyInstance(
            StatementLimitTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getNetworkTimeout")) {
                throw new SQLFeatureNotSupportedException();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}

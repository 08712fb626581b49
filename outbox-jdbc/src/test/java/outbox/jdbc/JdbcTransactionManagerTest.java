package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbc.JdbcConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.JdbcTransactionManager.Transaction;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.pool.BorrowedConnection;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;
import outbox.spi.TransactionRunner;

class JdbcTransactionManagerTest {
  @SuppressWarnings("NullAway.Init")
  private static TestDatabase database;

  private final List<String> ran = new ArrayList<>();
  private final ThreadLocalTxContext context = new ThreadLocalTxContext();
  private final JdbcTransactionManager manager =
      new JdbcTransactionManager(new DataSourceConnectionProvider(database.dataSource()), context);

  @BeforeAll
  static void create() {
    database = TestDatabase.create(Product.H2);
  }

  @AfterAll
  static void drop() {
    database.close();
  }

  @Test
  @Spec({"FRM-21", "FRM-22", "FRM-23"})
  void callbacksOfACommitRunAfterItInOrderAndOutsideTheTransaction() {
    try (Transaction transaction = manager.begin()) {
      assertThat(context.isTransactionActive()).isTrue();
      assertThat(context.currentConnection()).isSameAs(transaction.connection());
      register("first");
      register("second");
      assertThat(ran).isEmpty();
      transaction.commit();
    }

    assertThat(ran).containsExactly("commit first active=false", "commit second active=false");
  }

  @Test
  @Spec({"FRM-21", "FRM-23"})
  void callbacksOfARollbackRunInsteadWhenNothingWasCommitted() {
    try (Transaction transaction = manager.begin()) {
      assertThat(transaction.connection()).isNotNull();
      register("only");
    }

    assertThat(ran).containsExactly("rollback only");
    assertThat(context.isTransactionActive()).isFalse();
  }

  @Test
  void workIsToldOfTheCommitBeforeTheCallbacksRun() throws Exception {
    manager.run(
        new TransactionRunner.Work() {
          @Override
          public void run(Connection connection) {
            register("callback");
          }

          @Override
          public void committing() {
            ran.add("committing active=" + context.isTransactionActive());
          }

          @Override
          public void ended(boolean committed) {
            ran.add("committed active=" + context.isTransactionActive());
          }
        },
        Duration.ofSeconds(30));

    assertThat(ran)
        .containsExactly(
            "committing active=true", "committed active=false", "commit callback active=false");
  }

  @Test
  @Spec({"FRM-21", "FRM-23"})
  void callbacksOfARollbackRunWhenTheCommitFails() throws SQLException {
    Deque<Connection> opened = new ArrayDeque<>();
    ConnectionProvider provider =
        () -> {
          Connection connection = database.dataSource().getConnection();
          opened.push(connection);
          return connection;
        };
    Transaction transaction = new JdbcTransactionManager(provider, context).begin();
    register("only");
    opened.pop().close();

    assertThatThrownBy(transaction::commit)
        .isInstanceOf(StoreException.class)
        .hasMessage("commit failed")
        .hasCauseInstanceOf(SQLException.class);

    assertThat(ran).containsExactly("rollback only");
    assertThat(context.isTransactionActive()).isFalse();
  }

  @Test
  void whatWasRolledBackOrCouldNotBeCommittedIsNotThere() throws Exception {
    database.execute("CREATE TABLE effect (name VARCHAR(20))");
    try (Transaction transaction = manager.begin()) {
      insertEffect(transaction.connection());
      transaction.rollback();
    }
    JdbcTransactionManager failing =
        new JdbcTransactionManager(
            () -> failingAt("commit", database.dataSource().getConnection()), context);

    assertThatThrownBy(
            () ->
                failing.run(
                    new TransactionRunner.Work() {
                      @Override
                      public void run(Connection connection) throws SQLException {
                        insertEffect(connection);
                      }

                      @Override
                      public void ended(boolean committed) {
                        ran.add("committed=" + committed);
                      }
                    }))
        .hasMessage("commit failed");

    assertThat(ran).containsExactly("committed=false");
    manager.run(
        connection -> {
          try (Statement statement = connection.createStatement();
              ResultSet found = statement.executeQuery("SELECT name FROM effect")) {
            assertThat(found.next()).isFalse();
          }
        });
  }

  private static void insertEffect(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO effect VALUES ('one')");
    }
  }

  @Test
  void aConnectionOnWhichNoTransactionCanBeginIsGivenBack() throws SQLException {
    try (Connection real = database.connect()) {
      Connection lent =
          BorrowedConnection.of(failingAt("setAutoCommit", real), back -> ran.add("given back"));

      assertThatThrownBy(new JdbcTransactionManager(() -> lent, context)::begin)
          .isInstanceOf(StoreException.class)
          .hasMessage("begin failed");

      assertThat(ran).containsExactly("given back");
      assertThat(context.isTransactionActive()).isFalse();
    }
  }

  @Test
  void theNetworkTimeoutOfATransactionIsLiftedAtItsEnd() throws Exception {
    Connection timed = new TimedConnections(lending()).dataSource().getConnection();
    try {
      new JdbcTransactionManager(() -> timed, context)
          .run(
              connection -> assertThat(timed.getNetworkTimeout()).isEqualTo(30_000),
              Duration.ofSeconds(30));

      assertThat(timed.getNetworkTimeout()).isZero();
    } finally {
      timed.unwrap(JdbcConnection.class).close();
    }
  }

  /** Connections that stay open when they are closed. */
  private static DataSource lending() {
    return (DataSource)
        Proxy.newProxyInstance(
            JdbcTransactionManagerTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> unlessCalled("close", database.connect(), null));
  }

  private static Connection failingAt(String name, Connection real) {
    return unlessCalled(name, real, new SQLException("on purpose", "08006"));
  }

  /** What one method throws instead of its work; nothing if there is no exception. */
  private static Connection unlessCalled(
      String name, Connection real, @Nullable SQLException thrown) {
    return (Connection)
        Proxy.newProxyInstance(
            JdbcTransactionManagerTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(name)) {
                if (thrown != null) {
                  throw thrown;
                }
                return null;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void callbackThatThrowsStopsNeitherTheOthersNorTheCaller() {
    try (Transaction transaction = manager.begin()) {
      context.afterCommit(
          () -> {
            throw new IllegalStateException("a callback of the application");
          });
      register("next");
      transaction.commit();
    }

    assertThat(ran).containsExactly("commit next active=false");
  }

  @Test
  void rollbackToASavepointDiscardsWhatWasRegisteredSinceIt() throws SQLException {
    try (Transaction transaction = manager.begin()) {
      Connection connection = transaction.connection();
      register("before");
      Savepoint outer = connection.setSavepoint();
      register("since outer");
      Savepoint inner = connection.setSavepoint("inner");
      register("since inner");
      connection.releaseSavepoint(inner);
      connection.rollback(outer);
      assertThat(ran).containsExactly("rollback since outer", "rollback since inner");
      register("after");
      transaction.commit();
    }

    assertThat(ran)
        .containsExactly(
            "rollback since outer",
            "rollback since inner",
            "commit before active=false",
            "commit after active=false");
  }

  @Test
  void aSavepointAtTheSamePlaceAsAnotherStaysKnown() throws SQLException {
    try (Transaction transaction = manager.begin()) {
      Connection connection = transaction.connection();
      register("before");
      Savepoint first = connection.setSavepoint();
      Savepoint second = connection.setSavepoint();
      register("since");
      connection.rollback(second);
      connection.rollback(first);
      transaction.commit();
    }

    assertThat(ran).containsExactly("rollback since", "commit before active=false");
  }

  @Test
  void theConnectionGoesBackOnceInItsModeBeforeTheCallbacksRun() throws Exception {
    for (boolean autoCommit : new boolean[] {true, false}) {
      try (Connection real = database.connect()) {
        real.setAutoCommit(autoCommit);
        ConnectionProvider lending =
            () ->
                BorrowedConnection.of(
                    real, returned -> ran.add("back in its mode=" + isIn(autoCommit, real)));
        JdbcTransactionManager lent = new JdbcTransactionManager(lending, context);

        lent.run(connection -> register("one"));
        try (Transaction transaction = lent.begin()) {
          register("two");
          transaction.rollback();
        }
      }
    }

    assertThat(ran)
        .containsExactly(
            "back in its mode=true",
            "commit one active=false",
            "back in its mode=true",
            "rollback two",
            "back in its mode=true",
            "commit one active=false",
            "back in its mode=true",
            "rollback two");
  }

  private static boolean isIn(boolean autoCommit, Connection connection) {
    try {
      return connection.getAutoCommit() == autoCommit;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void connectionRefusesToEndTheTransactionAndSaysWhoMay() {
    try (Transaction transaction = manager.begin()) {
      Connection connection = transaction.connection();
      refuses(connection::commit);
      refuses(connection::rollback);
      refuses(connection::close);
      refuses(() -> connection.setAutoCommit(true));
    }
  }

  @Test
  void connectionUnwrapsToTheDriversAndThrowsItsExceptions() throws SQLException {
    try (Transaction transaction = manager.begin()) {
      Connection connection = transaction.connection();
      assertThat(connection.isWrapperFor(JdbcConnection.class)).isTrue();
      assertThat(connection.unwrap(JdbcConnection.class)).isNotNull();
      assertThatThrownBy(() -> connection.prepareStatement("nonsense"))
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void secondTransactionOnTheSameThreadIsRefused() {
    try (Transaction transaction = manager.begin()) {
      assertThatThrownBy(manager::begin)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("active on this thread");
      transaction.commit();
      assertThatThrownBy(transaction::commit).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  @Spec("FRM-86")
  void transactionBelongsToItsThreadAlone() {
    try (Transaction transaction = manager.begin()) {
      assertThat(CompletableFuture.supplyAsync(context::isTransactionActive).join()).isFalse();
      assertThatThrownBy(() -> CompletableFuture.runAsync(transaction::commit).join())
          .hasMessageContaining("belongs to another thread");
      assertThatThrownBy(() -> CompletableFuture.runAsync(transaction::rollback).join())
          .hasMessageContaining("belongs to another thread");
      register("of its own thread");
      transaction.commit();
    }
    assertThat(ran).containsExactly("commit of its own thread active=false");
  }

  @Test
  void workThatThrowsRollsBackAndKeepsItsException() throws Exception {
    assertThatThrownBy(
            () ->
                manager.run(
                    connection -> {
                      register("failed");
                      throw new SQLException("of the business");
                    }))
        .isInstanceOf(SQLException.class)
        .hasMessage("of the business");
    manager.run(connection -> register("fine"));

    assertThat(ran).containsExactly("rollback failed", "commit fine active=false");
  }

  private void register(String name) {
    context.afterCommit(
        () -> ran.add("commit " + name + " active=" + context.isTransactionActive()));
    context.afterRollback(() -> ran.add("rollback " + name));
  }

  private static void refuses(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("return from inTransaction(…) to commit, throw to roll back");
  }
}

package outbox.jdbc.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.jdbc.internal.pool.ConnectionBound.User;
import outbox.routing.OutboxDatabase;

@Timeout(60)
class SharedConnectionsTest {
  private static final Duration SHORT = Duration.ofMillis(20);
  private static final Duration LONG = Duration.ofSeconds(50);

  private final SharedConnections shared = new SharedConnections(4);
  private final TenantDatabase one = database("one");
  private final TenantDatabase two = database("two");

  @AfterEach
  void close() {
    shared.close();
  }

  @Test
  void connectionGivenBackIsUsedAgainByItsDatabaseOnly() throws Exception {
    Connection first = borrow(one);
    Connection target = first.unwrap(org.h2.jdbc.JdbcConnection.class);
    first.close();

    try (Connection other = borrow(two);
        Connection again = borrow(one)) {
      assertThat(again.unwrap(org.h2.jdbc.JdbcConnection.class)).isSameAs(target);
      assertThat(other.unwrap(org.h2.jdbc.JdbcConnection.class)).isNotSameAs(target);
    }
  }

  @Test
  void warmConnectionsOfOneDatabaseMakeRoomForAnother() throws Exception {
    List<Connection> targets = new ArrayList<>();
    List<Connection> loans = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Connection loan = borrow(one);
      loans.add(loan);
      targets.add(loan.unwrap(org.h2.jdbc.JdbcConnection.class));
    }
    for (Connection loan : loans) {
      loan.close();
    }
    try (Connection a = borrow(two);
        Connection b = borrow(two)) {
      assertThat(a).isNotSameAs(b);
      assertThat(targets.stream().filter(SharedConnectionsTest::isClosed)).hasSize(1);
    }
  }

  @Test
  void aPlaceIsFreedInAdvanceSoThatTheNextDatabaseNeedNotWait() throws Exception {
    List<Connection> targets = new ArrayList<>();
    List<Connection> loans = List.of(engine(one), engine(one), borrow(one), borrow(one));
    for (Connection loan : loans) {
      targets.add(loan.unwrap(org.h2.jdbc.JdbcConnection.class));
    }
    for (Connection loan : loans) {
      loan.close();
    }

    assertThat(targets.stream().filter(SharedConnectionsTest::isClosed)).hasSize(1);
  }

  @Test
  void whoWaitsTooLongIsToldWhichSettingToChange() throws Exception {
    try (Connection a = borrow(one);
        Connection b = borrow(one);
        Connection c = borrow(one)) {
      assertThat(List.of(a, b, c)).doesNotHaveDuplicates();
      assertThatThrownBy(() -> shared.borrow(two, User.APPLICATION, SHORT))
          .isInstanceOf(SQLTransientConnectionException.class)
          .hasMessageContaining("store=two")
          .hasMessageContaining("maxConnections=4");
      try (Connection engine = shared.borrow(two, User.CLAIM, SHORT)) {
        assertThat(engine.isValid(1)).as("a part is left to the other user").isTrue();
      }
    }
  }

  @Test
  void whoWaitsGetsWhatIsGivenBack() throws Exception {
    List<Connection> loans = List.of(borrow(one), borrow(one), borrow(one));
    AtomicReference<Connection> got = new AtomicReference<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                got.set(borrow(two));
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    waiter.start();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
    for (Connection loan : loans) {
      loan.close();
    }
    waiter.join();

    try (Connection connection = Objects.requireNonNull(got.get())) {
      assertThat(connection.isClosed()).isFalse();
    }
  }

  @Test
  void databaseThatDoesNotAnswerTakesFewOfTheConnectionsAndIsToldOfAtOnce() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    AtomicInteger attempts = new AtomicInteger();
    TenantDatabase dark = database("dark", refusing(attempts, answer));
    assertThatThrownBy(() -> borrow(dark)).hasMessageContaining("refused");
    Thread waiter = new Thread(() -> assertThatThrownBy(() -> borrow(dark)).isNotNull());
    waiter.start();
    await().atMost(Duration.ofSeconds(30)).until(() -> attempts.get() == 2);

    assertThatThrownBy(() -> borrow(dark))
        .isInstanceOf(SQLTransientConnectionException.class)
        .hasMessageContaining("store=dark does not answer");
    try (Connection a = borrow(one);
        Connection b = borrow(one)) {
      assertThat(a).isNotSameAs(b);
    }

    answer.countDown();
    waiter.join();
  }

  @Test
  void outcomesAndLeasesGetAConnectionBeforeClaims() throws Exception {
    ConnectionBound bound = new ConnectionBound(4);
    for (int i = 0; i < 3; i++) {
      bound.acquire(User.CLAIM, LONG, "one");
    }
    List<User> order = new CopyOnWriteArrayList<>();
    List<Thread> waiters = new ArrayList<>();
    for (User user : List.of(User.CLAIM, User.CLAIM, User.UPKEEP)) {
      Thread waiter =
          new Thread(
              () -> {
                try {
                  bound.acquire(user, LONG, "one");
                  order.add(user);
                  bound.release(user);
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      waiter.start();
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
      waiters.add(waiter);
    }

    bound.release(User.CLAIM);
    for (Thread waiter : waiters) {
      waiter.join();
    }

    assertThat(order).containsExactly(User.UPKEEP, User.CLAIM, User.CLAIM);
  }

  @Test
  void openTransactionIsRolledBackBeforeTheConnectionIsLentAgain() throws Exception {
    try (Connection loan = borrow(one);
        Statement statement = loan.createStatement()) {
      statement.execute("CREATE TABLE t (i INT)");
      loan.setAutoCommit(false);
      statement.execute("INSERT INTO t VALUES (1)");
    }
    try (Connection loan = borrow(one);
        Statement statement = loan.createStatement()) {
      assertThat(loan.getAutoCommit()).isTrue();
      assertThat(statement.executeQuery("SELECT 1 FROM t").next()).isFalse();
    }
  }

  @Test
  void loanCannotBeUsedAfterItWasGivenBack() throws Exception {
    Connection loan = borrow(one);
    loan.close();
    loan.close();

    assertThat(loan.isClosed()).isTrue();
    assertThatThrownBy(loan::createStatement)
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("given back");
  }

  @Test
  void connectionsOfADatabaseThatLeftAreClosed() throws Exception {
    Connection kept = borrow(one);
    Connection idle = borrow(one);
    Connection target = kept.unwrap(org.h2.jdbc.JdbcConnection.class);
    Connection idleTarget = idle.unwrap(org.h2.jdbc.JdbcConnection.class);
    idle.close();

    one.close();
    shared.forget(one);
    assertThat(idleTarget.isClosed()).isTrue();
    kept.close();
    assertThat(target.isClosed()).isTrue();
  }

  private Connection engine(TenantDatabase database) throws SQLException {
    return shared.borrow(database, User.CLAIM, LONG);
  }

  private Connection borrow(TenantDatabase database) throws SQLException {
    return shared.borrow(database, User.APPLICATION, LONG);
  }

  private static boolean isClosed(Connection connection) {
    try {
      return connection.isClosed();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private TenantDatabase database(String name) {
    JdbcDataSource source = new JdbcDataSource();
    source.setUrl("jdbc:h2:mem:" + name + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
    return database(name, source);
  }

  private TenantDatabase database(String name, DataSource source) {
    return new TenantDatabase(OutboxDatabase.of(name, source), null, LONG, shared.attempts());
  }

  /** Refuses every connection: the first at once, the others after a while. */
  private static DataSource refusing(AtomicInteger attempts, CountDownLatch answer) {
    return (DataSource)
        Proxy.newProxyInstance(
            SharedConnectionsTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, args) -> {
              if (attempts.incrementAndGet() > 1) {
                answer.await();
              }
              throw new SQLException("refused", "08001");
            });
  }
}

package outbox.jdbc.internal.sql;

import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;

/** Statements of different limits under a watch that would only look once in an hour by itself. */
class StatementWatchTest {
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofMinutes(10);

  private final StatementWatch watch = new StatementWatch(Duration.ofHours(1));
  private final AtomicInteger cancelled = new AtomicInteger();
  private final TestDatabase database = TestDatabase.create(Product.H2);

  @SuppressWarnings("NullAway.Init")
  private Connection connection;

  @BeforeEach
  void connect() throws SQLException {
    connection = database.dataSource().getConnection();
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    database.close();
  }

  @Test
  void theFirstStatementIsCancelledInTime() throws SQLException {
    add(SHORT);

    awaitCancelled(1);
  }

  @Test
  void aStatementThatIsOverdueSoonerThanTheOthersIsCancelledInTime() throws SQLException {
    add(LONG);
    add(SHORT);

    awaitCancelled(1);
  }

  /** A thread inherits what its creator has: so the creation of the cancelling thread fails. */
  @Test
  void aStatementThatCannotBeCancelledForWantOfAThreadKeepsNoOtherFromIt() throws SQLException {
    AtomicInteger failures = new AtomicInteger();
    InheritableThreadLocal<String> inherited =
        new InheritableThreadLocal<>() {
          @Override
          protected String childValue(String value) {
            if (Thread.currentThread().getName().equals("outbox-statements")
                && failures.getAndIncrement() == 0) {
              throw new InternalError("unable to create native thread");
            }
            return value;
          }
        };
    inherited.set("by the watch, from this thread");
    try {
      add(SHORT);
      await().atMost(Duration.ofSeconds(30)).until(() -> failures.get() == 1);

      add(SHORT);

      awaitCancelled(1);
    } finally {
      inherited.remove();
    }
  }

  private void add(Duration limit) throws SQLException {
    PreparedStatement statement = counting(connection.prepareStatement("SELECT 1"));
    Dialect dialect = Dialects.of(connection);
    watch.add(new LimitedStatement(connection, statement, dialect, limit.toNanos()));
  }

  private void awaitCancelled(int times) {
    await().atMost(Duration.ofSeconds(30)).until(() -> cancelled.get() == times);
  }

  /** A statement that counts how often it is cancelled. */
  private PreparedStatement counting(PreparedStatement statement) {
    return (PreparedStatement)
        Proxy.newProxyInstance(
            StatementWatchTest.class.getClassLoader(),
            new Class<?>[] {PreparedStatement.class},
            (proxy, called, arguments) -> {
              if (called.getName().equals("cancel")) {
                cancelled.incrementAndGet();
              }
              return switch (called.getName()) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> called.invoke(statement, arguments);
              };
            });
  }
}

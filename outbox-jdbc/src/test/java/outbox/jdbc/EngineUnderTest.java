package outbox.jdbc;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxMessage;
import outbox.Retention;
import outbox.TransactionalOutboxHandler;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/** An engine on an empty database, built by one of the builders. */
@Timeout(180)
abstract class EngineUnderTest<B extends EngineSettings<B>> {
  final TestDatabase database = TestDatabase.create(Product.H2);

  /** The headers of each message that was handled. */
  final List<Map<String, String>> handled = new CopyOnWriteArrayList<>();

  final Defaults defaults;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  EngineUnderTest(Defaults defaults) {
    this.defaults = defaults;
  }

  /**
   * What a builder has unless it is given something else.
   *
   * @param since the column that says when a message came
   * @param retryDelay the shortest delay after the first failure
   */
  record Defaults(
      String table,
      String since,
      int batchSize,
      Duration networkTimeout,
      Duration retryDelay,
      Retention retention) {}

  /** Receives the headers of a message. */
  @FunctionalInterface
  interface Body {
    void handle(Map<String, String> headers) throws Exception;
  }

  /** A builder on a database, with nothing else set. */
  abstract B on(DataSource dataSource);

  abstract B handling(B builder, String topic, Body body);

  /** Adds a handler that runs in a transaction. */
  abstract B transactional(B builder, String topic, Body body);

  abstract Engine start(B builder);

  /** A builder that creates its schema. */
  final B created() {
    return on(database.dataSource()).createSchema();
  }

  final B handling(B builder) {
    return handling(builder, "topic", handled::add);
  }

  final B failing(B builder, String topic) {
    return handling(builder, topic, EngineUnderTest::refuse);
  }

  final void note(Object... ignored) {
    handled.add(Map.of());
  }

  /** A handler that notes what {@link #noteIfBegun} notes. */
  final TransactionalOutboxHandler notingHandler(String topic) {
    return new TransactionalOutboxHandler() {
      @Override
      public String topic() {
        return topic;
      }

      @Override
      public HandlerResult handle(
          OutboxMessage message, HandlerContext context, Connection connection) throws Exception {
        noteIfBegun(connection);
        return HandlerResult.done();
      }
    };
  }

  final void noteIfBegun(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      note();
    }
  }

  @SuppressWarnings("DoNotCallSuggester") // handlers that fail are made of it
  static void refuse(Object... ignored) {
    throw new IllegalStateException("refused");
  }

  final Engine started(B builder) {
    return closing(start(builder));
  }

  final <T extends AutoCloseable> T closing(T closeable) {
    open.push(closeable);
    return closeable;
  }

  @AfterEach
  final void closeAll() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
    database.close();
  }

  /** Removes at once what is done. */
  static Retention briefly() {
    return Retention.keepForever().completed(Duration.ZERO).interval(Duration.ofMillis(20));
  }

  final int count(String condition) {
    return number("SELECT COUNT(*) FROM " + defaults.table + " WHERE " + condition);
  }

  final int number(String query) {
    return number(database, query);
  }

  static int number(TestDatabase database, String query) {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  final void clear() {
    database.execute("DELETE FROM " + defaults.table);
  }

  static void until(Callable<Boolean> condition) {
    await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(condition);
  }
}

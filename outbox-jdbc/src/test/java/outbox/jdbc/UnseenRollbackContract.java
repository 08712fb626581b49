package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.delayedExecutor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.OutboxMessage;
import outbox.TransactionalOutboxHandler;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.dispatch.OutboxDispatcher;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.TransactionRunner;

/**
 * A commit that returns normally is no proof: the database may have rolled back before. What it did
 * not keep is not delivered, and a transactional listener completes only with its effect.
 */
@Timeout(180)
abstract class UnseenRollbackContract {
  private static final String TOPIC = "plain";
  static final String TRANSACTIONAL = "transactional";
  static final String HANDLED = "handled";

  @SuppressWarnings("NullAway.Init")
  private static TestDatabase database;

  private final List<String> delivered = new CopyOnWriteArrayList<>();
  private final List<EventEnvelope> published = new ArrayList<>();
  final List<Integer> attempts = new CopyOnWriteArrayList<>();
  private final List<String> errors = new CopyOnWriteArrayList<>();
  Attempt listener = (connection, attempt) -> {};

  @SuppressWarnings("NullAway.Init")
  private JdbcOutbox outbox;

  /** What a transactional listener does at its first, second, … attempt. */
  interface Attempt {
    void run(Connection connection, int attempt) throws Exception;
  }

  @BeforeAll
  static void deploy(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    database = TestDatabase.create(on.value());
    OutboxSchema.of(database.dataSource()).deploy();
    InboxSchema.of(database.dataSource()).deploy();
    database.execute("CREATE TABLE effect (id INT PRIMARY KEY)");
    Deadlock.deploy(database);
  }

  @AfterAll
  static void drop() {
    if (database != null) {
      database.close();
    }
  }

  @BeforeEach
  void start() {
    database.execute("DELETE FROM effect", "DELETE FROM outbox_event", "DELETE FROM outbox_inbox");
    outbox =
        JdbcOutbox.builder(database.dataSource())
            .config(config())
            .listener(TOPIC, event -> delivered.add(event.eventId()))
            .transactionalListener(TRANSACTIONAL, (event, connection) -> attempt(connection))
            .transactionalHandler(new Handler())
            .start();
  }

  /** One worker handles the events in their order. */
  private static OutboxConfig config() {
    return new OutboxConfig()
        .setDispatcherWorkers(1)
        .setPollerIntervalMs(100)
        .setRetryBaseDelayMs(1)
        .setRetryMaxDelayMs(2);
  }

  @AfterEach
  void close() {
    outbox.close();
  }

  private final class Handler implements TransactionalOutboxHandler {
    @Override
    public String topic() {
      return HANDLED;
    }

    @Override
    public HandlerResult handle(
        OutboxMessage message, HandlerContext context, Connection connection) throws Exception {
      attempt(connection);
      return HandlerResult.done();
    }
  }

  private void attempt(Connection connection) throws Exception {
    attempts.add(attempts.size() + 1);
    insert(connection, attempts.size());
    listener.run(connection, attempts.size());
  }

  static TestDatabase database() {
    return database;
  }

  final Product product() {
    return database.product();
  }

  @Test
  void failedStatementThatIsSwallowedDeliversOnlyWhatTheDatabaseKept() throws Exception {
    database.execute("INSERT INTO effect VALUES (1)");

    outbox.inTransaction(
        connection -> {
          publish();
          assertThatThrownBy(() -> insert(connection, 1)).isInstanceOf(SQLException.class);
        });

    assertDeliveredIsWhatTheDatabaseKept(isPostgres() ? 0 : 1);
  }

  @Test
  void failedBatchThatIsSwallowedDeliversOnlyWhatTheDatabaseKept() throws Exception {
    database.execute("INSERT INTO effect VALUES (1)");

    outbox.inTransaction(
        connection -> {
          publish();
          try (Statement batch = connection.createStatement()) {
            batch.addBatch("INSERT INTO effect VALUES (2)");
            batch.addBatch("INSERT INTO effect VALUES (1)");
            assertThatThrownBy(batch::executeBatch).isInstanceOf(SQLException.class);
          }
        });

    assertDeliveredIsWhatTheDatabaseKept(isPostgres() ? 0 : 1);
  }

  @Test
  void failedUpdateOfAResultSetDeliversOnlyWhatTheDatabaseKept() throws Exception {
    database.execute("INSERT INTO effect VALUES (1)", "INSERT INTO effect VALUES (2)");

    outbox.inTransaction(
        connection -> {
          publish();
          try (Statement statement =
                  connection.createStatement(
                      ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
              ResultSet rows = statement.executeQuery("SELECT id FROM effect WHERE id = 2")) {
            rows.next();
            rows.updateInt(1, 1);
            assertThatThrownBy(rows::updateRow).isInstanceOf(SQLException.class);
          }
        });

    assertDeliveredIsWhatTheDatabaseKept(isPostgres() ? 0 : 1);
  }

  /** A proxy that is made by reflection and does not unwrap what the driver throws. */
  @Test
  void failureThatAProxyOfTheDriverWrapsDeliversOnlyWhatTheDatabaseKept() throws Exception {
    database.execute("INSERT INTO effect VALUES (1)");
    try (JdbcOutbox careless =
        JdbcOutbox.builder(careless(DataSource.class, database.dataSource()))
            .config(config())
            .listener(TOPIC, event -> delivered.add(event.eventId()))
            .start()) {
      careless.inTransaction(
          connection -> {
            publish(careless, TOPIC);
            assertThatThrownBy(() -> insert(connection, 1))
                .isInstanceOf(UndeclaredThrowableException.class);
          });
      careless.inTransaction(
          connection -> {
            execute(connection, "SAVEPOINT doubt");
            publish(careless, TOPIC);
          });
      String last = published.get(1).eventId();
      await().atMost(Duration.ofSeconds(60)).until(() -> delivered.contains(last));
    }

    assertDeliveredIsWhatTheDatabaseKept(isPostgres() ? 1 : 2);
  }

  private static <T> T careless(Class<T> type, Object target) {
    return type.cast(
        Proxy.newProxyInstance(
            UnseenRollbackContract.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Object result = method.invoke(target, arguments);
              Class<?> returned = method.getReturnType();
              return returned == Connection.class || returned == PreparedStatement.class
                  ? careless(returned, result)
                  : result;
            }));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ROLLBACK",
        " rollback",
        "/* the end */ Rollback",
        "-- the end\nROLLBACK",
      })
  void rollbackBySqlTextDeliversOnlyWhatTheDatabaseKept(String sql) throws Exception {
    outbox.inTransaction(
        connection -> {
          publish();
          execute(connection, sql);
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(1);
  }

  @Test
  void rollbackBySqlTextOfAPreparedStatementDeliversOnlyWhatTheDatabaseKept() throws Exception {
    outbox.inTransaction(
        connection -> {
          publish();
          try (PreparedStatement statement = connection.prepareStatement("ROLLBACK")) {
            statement.execute();
          }
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(1);
  }

  @Test
  void savepointRolledBackBySqlTextTakesTheEventsSinceWithIt() throws Exception {
    outbox.inTransaction(
        connection -> {
          publish();
          execute(connection, "SAVEPOINT here");
          publish();
          execute(connection, "ROLLBACK TO SAVEPOINT here");
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(2);
  }

  @Test
  void rollbackOfAnUnwrappedConnectionDeliversOnlyWhatTheDatabaseKept() throws Exception {
    outbox.inTransaction(
        connection -> {
          publish();
          ((Connection) connection.unwrap(driversConnection())).rollback();
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(1);
  }

  @Test
  void rollbackOfAConnectionUnwrappedSinceARolledBackSavepointDeliversOnlyWhatTheDatabaseKept()
      throws Exception {
    outbox.inTransaction(
        connection -> {
          publish();
          unwrappedSinceASavepoint(connection).rollback();
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(1);
  }

  /** Rolls back to a savepoint that is older than what it returns: the driver's connection. */
  private Connection unwrappedSinceASavepoint(Connection connection) throws SQLException {
    Savepoint savepoint = connection.setSavepoint();
    Connection unwrapped = (Connection) connection.unwrap(driversConnection());
    connection.rollback(savepoint);
    return unwrapped;
  }

  @Test
  void rollbackOfAnUnwrappedStatementsConnectionDeliversOnlyWhatTheDatabaseKept() throws Exception {
    outbox.inTransaction(
        connection -> {
          publish();
          try (Statement statement = connection.createStatement()) {
            Class<?> type = statementOf(driversConnection());
            ((Statement) statement.unwrap(type)).getConnection().rollback();
          }
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(1);
  }

  @Test
  void connectionOfAStatementIsTheOneThatRefusesToRollBack() throws Exception {
    outbox.inTransaction(
        connection -> {
          publish();
          try (Statement statement = connection.createStatement();
              ResultSet rows = statement.executeQuery("SELECT id FROM effect")) {
            assertThat(statement.getConnection()).isSameAs(connection);
            assertThat(rows.getStatement()).isSameAs(statement);
            assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
            assertThatThrownBy(() -> statement.getConnection().rollback())
                .isInstanceOf(IllegalStateException.class);
          }
        });

    assertDeliveredIsWhatTheDatabaseKept(1);
  }

  @Test
  void listenerThatRollsBackBySqlTextIsNotCompleted() throws Exception {
    completesAtTheSecondAttempt(
        TRANSACTIONAL, connection -> execute(connection, "ROLLBACK"), "SQL text");
  }

  @Test
  void listenerThatRollsBackAnUnwrappedConnectionIsNotCompleted() throws Exception {
    completesAtTheSecondAttempt(
        TRANSACTIONAL,
        connection -> ((Connection) connection.unwrap(driversConnection())).rollback(),
        "unwrapped");
  }

  @Test
  void listenerThatRollsBackWhatItUnwrappedSinceARolledBackSavepointIsNotCompleted()
      throws Exception {
    completesAtTheSecondAttempt(
        TRANSACTIONAL, connection -> unwrappedSinceASavepoint(connection).rollback(), "unwrapped");
  }

  /** H2 commits when the isolation level is set. */
  @Test
  void listenerThatSetsTheIsolationLevelTakesEffectOnce() throws Exception {
    listener =
        (connection, attempt) -> {
          if (attempt == 1) {
            try (Statement statement = connection.createStatement()) {
              statement
                  .getConnection()
                  .setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
            throw new IllegalStateException("the first attempt fails");
          }
        };

    String id = publish(TRANSACTIONAL);

    awaitDone(id);
    assertThat(effects()).containsExactly(2);
  }

  @Test
  void listenerMaySwallowAFailureThatTheDatabaseConfinesToAStatementOrASavepoint()
      throws Exception {
    database.execute("INSERT INTO effect VALUES (100)");
    listener =
        (connection, attempt) -> {
          if (isPostgres()) {
            Savepoint savepoint = connection.setSavepoint();
            assertThatThrownBy(() -> insert(connection, 100)).isInstanceOf(SQLException.class);
            connection.rollback(savepoint);
          } else {
            assertThatThrownBy(() -> insert(connection, 100)).isInstanceOf(SQLException.class);
          }
          insert(connection, 101);
        };

    String id = publish(TRANSACTIONAL);

    awaitDone(id);
    assertThat(attempts).containsExactly(1);
    assertThat(effects()).containsExactly(1, 100, 101);
  }

  /** The library's own look at a row that it finds locked fails on MariaDB; that is no doubt. */
  @Test
  void listenerIsCompletedAtItsFirstAttemptAfterItsRowWasLockedForAMoment() throws Exception {
    try (Connection rival = database.dataSource().getConnection()) {
      rival.setAutoCommit(false);
      listener =
          (connection, attempt) -> {
            execute(
                rival,
                "SELECT event_id FROM outbox_event WHERE event_id = '"
                    + published.get(0).eventId()
                    + "' FOR UPDATE");
            CompletableFuture<Void> unused =
                CompletableFuture.runAsync(
                    () -> rollBack(rival), delayedExecutor(300, TimeUnit.MILLISECONDS));
          };

      String id = publish(TRANSACTIONAL);

      awaitDone(id);
      assertThat(attempts).containsExactly(1);
      assertThat(effects()).containsExactly(1);
    }
  }

  private static void rollBack(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void listenerMayUseSavepointsAroundWhatReachesPastTheConnection() throws Exception {
    listener =
        (connection, attempt) -> {
          Savepoint undone = connection.setSavepoint();
          insert(connection, 50);
          if (product() != Product.H2) {
            assertThat(connection.unwrap(driversConnection())).isNotNull();
          }
          connection.rollback(undone);
          Savepoint kept = connection.setSavepoint();
          insert(connection, 51);
          connection.releaseSavepoint(kept);
        };

    String id = publish(TRANSACTIONAL);

    awaitDone(id);
    assertThat(attempts).containsExactly(1);
    assertThat(effects()).containsExactly(1, 51);
  }

  /** H2's driver releases savepoints that do not exist, so nothing proves the transaction there. */
  @Test
  void listenerThatOnlyUnwrapsItsConnectionIsCompletedWhereTheTransactionCanBeProven()
      throws Exception {
    listener =
        (connection, attempt) -> {
          if (attempt == 1) {
            assertThat(connection.unwrap(driversConnection())).isNotNull();
          }
        };

    String id = publish(TRANSACTIONAL);

    awaitDone(id);
    assertThat(attempts).hasSize(product() == Product.H2 ? 2 : 1);
    assertThat(effects()).hasSize(1);
  }

  @Test
  void plainStoreLeavesAnEventOfADoubtfulTransactionToThePoller() throws Exception {
    EventStore plain = new PlainStore(new JdbcOutboxRepository());
    ThreadLocalTxContext context = new ThreadLocalTxContext();
    ConnectionProvider connections = new DataSourceConnectionProvider(database.dataSource());
    JdbcTransactionManager transactions = new JdbcTransactionManager(connections, context);
    outbox.close();
    try (OutboxDispatcher dispatcher =
            OutboxDispatcher.builder(connections, plain)
                .listeners(
                    new DefaultListenerRegistry()
                        .register(TOPIC, event -> delivered.add(event.eventId())))
                .build();
        OutboxPoller poller =
            new OutboxPoller(
                connections, plain, dispatcher, Duration.ZERO, 10, 20, MetricsExporter.NOOP)) {
      OutboxClient client = new OutboxClient(context, plain, dispatcher, MetricsExporter.NOOP);
      poller.start();
      EventEnvelope gone = EventEnvelope.ofJson(TOPIC, "{}");
      EventEnvelope kept = EventEnvelope.ofJson(TOPIC, "{}");

      transactions.run(
          connection -> {
            client.publish(gone);
            execute(connection, "ROLLBACK");
            client.publish(kept);
          });

      awaitDone(kept.eventId());
      assertThat(delivered).containsExactly(kept.eventId());
    }
  }

  @Test
  void undisturbedTransactionsCostNoStatementMore() throws Exception {
    int ack = isPostgres() ? 1 : 2; // one statement, or a lock and an update
    outbox.close(); // its poller locks rows, and a completion that finds one locked is repeated
    CountedCalls business = new CountedCalls(database.dataSource());
    CountedCalls engine = new CountedCalls(database.dataSource());
    ThreadLocalTxContext context = new ThreadLocalTxContext();
    JdbcTransactionManager transactions = new JdbcTransactionManager(business, context);
    JdbcOutboxRepository store = new JdbcOutboxRepository();
    try (OutboxDispatcher dispatcher =
        OutboxDispatcher.builder(engine, store)
            .listeners(
                new DefaultListenerRegistry()
                    .register(TOPIC, event -> delivered.add(event.eventId()))
                    .registerTransactional(
                        TRANSACTIONAL, (event, connection) -> attempt(connection)))
            .transactions(transactions)
            .build()) {
      OutboxClient client = new OutboxClient(context, store, dispatcher, MetricsExporter.NOOP);
      engine.reset();

      EventEnvelope plain = EventEnvelope.ofJson(TOPIC, "{}");
      transactions.run(connection -> client.publish(plain));
      awaitDone(plain.eventId());

      assertThat(business.calls())
          .isEqualTo(Map.of("setAutoCommit", 2, "prepareStatement", 1, "commit", 1));
      assertThat(engine.calls()).containsEntry("prepareStatement", ack);

      business.reset();
      engine.reset();
      EventEnvelope transactional = EventEnvelope.ofJson(TRANSACTIONAL, "{}");
      transactions.run(connection -> client.publish(transactional));
      awaitDone(transactional.eventId());

      await().until(() -> business.calls().getOrDefault("setAutoCommit", 0) == 4);
      assertThat(business.calls())
          .isEqualTo(Map.of("setAutoCommit", 4, "prepareStatement", 2 + ack, "commit", 2));
      assertThat(engine.calls()).doesNotContainKey("prepareStatement");
    }
  }

  /** The first attempt is disturbed after its effect; the second one is not. */
  final void completesAtTheSecondAttempt(String topic, Disturbance disturbance, String reason)
      throws Exception {
    listener =
        (connection, attempt) -> {
          if (attempt == 1) {
            disturbance.of(connection);
          } else {
            errors.add(String.valueOf(row(published.get(0).eventId()).lastError()));
          }
        };

    String id = publish(topic);

    awaitDone(id);
    assertThat(attempts).containsExactly(1, 2);
    assertThat(effects()).containsExactly(2);
    assertThat(row(id).attempts()).isEqualTo(1);
    assertThat(errors).singleElement(STRING).contains("may have been rolled back", reason);
  }

  final void inboxCompletesAtTheSecondAttempt(Disturbance disturbance) throws Exception {
    try (JdbcInbox inbox =
        JdbcInbox.builder(database.dataSource())
            .config(config())
            .transactionalHandler(
                "received",
                (message, connection) -> {
                  attempt(connection);
                  if (attempts.size() == 1) {
                    disturbance.of(connection);
                  }
                })
            .start()) {
      inbox.enqueue(InboundMessage.of(new InboxKey("source", "message"), "received", "{}"));

      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> count("SELECT count(*) FROM outbox_inbox WHERE status = 1") == 1);
    }
    assertThat(attempts).containsExactly(1, 2);
    assertThat(effects()).containsExactly(2);
  }

  /** What happens to a transaction that goes on as if nothing had. */
  interface Disturbance {
    void of(Connection connection) throws Exception;
  }

  /**
   * Waits for an event that went the same way: its transaction too was in doubt, so whatever was
   * asked about before it has been decided.
   */
  final void assertDeliveredIsWhatTheDatabaseKept(int count) throws Exception {
    List<String> kept =
        published.stream()
            .map(EventEnvelope::eventId)
            .filter(id -> EventRow.find(database.dataSource(), id).isPresent())
            .toList();
    outbox.inTransaction(
        connection -> {
          execute(connection, "SAVEPOINT doubt");
          publish();
        });
    String last = published.get(published.size() - 1).eventId();
    await().atMost(Duration.ofSeconds(60)).until(() -> delivered.contains(last));
    assertThat(kept).hasSize(count);
    assertThat(delivered).containsExactlyInAnyOrderElementsOf(concat(kept, last));
  }

  private static List<String> concat(List<String> ids, String last) {
    List<String> all = new ArrayList<>(ids);
    all.add(last);
    return all;
  }

  final void inTransaction(TransactionRunner.Work work) throws Exception {
    outbox.inTransaction(work::run);
  }

  final void publish() {
    publish(outbox, TOPIC);
  }

  private void publish(JdbcOutbox through, String topic) {
    EventEnvelope event = EventEnvelope.ofJson(topic, "{}");
    published.add(event);
    through.publish(event);
  }

  final String publish(String topic) throws Exception {
    outbox.inTransaction(
        connection -> {
          publish(outbox, topic);
        });
    return published.get(published.size() - 1).eventId();
  }

  final void awaitDone(String id) {
    await().atMost(Duration.ofSeconds(60)).until(() -> row(id).status() == EventStatus.DONE);
  }

  private static Row row(String id) {
    return EventRow.find(database.dataSource(), id).orElseThrow();
  }

  static List<Integer> effects() throws SQLException {
    List<Integer> ids = new ArrayList<>();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM effect ORDER BY id")) {
      while (rows.next()) {
        ids.add(rows.getInt(1));
      }
    }
    return ids;
  }

  private static int count(String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }

  static void insert(Connection connection, int id) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO effect VALUES (?)")) {
      insert.setInt(1, id);
      insert.executeUpdate();
    }
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  final boolean isPostgres() {
    return product() == Product.POSTGRES_NEWEST || product() == Product.POSTGRES_OLDEST;
  }

  private Class<?> driversConnection() {
    return switch (product()) {
      case MARIADB, MYSQL_BY_MARIADB_DRIVER -> org.mariadb.jdbc.Connection.class;
      case MYSQL -> com.mysql.cj.jdbc.JdbcConnection.class;
      case H2 -> org.h2.jdbc.JdbcConnection.class;
      default -> org.postgresql.PGConnection.class;
    };
  }

  private static Class<?> statementOf(Class<?> driversConnection) {
    return switch (driversConnection.getName()) {
      case "org.mariadb.jdbc.Connection" -> org.mariadb.jdbc.Statement.class;
      case "com.mysql.cj.jdbc.JdbcConnection" -> com.mysql.cj.jdbc.JdbcStatement.class;
      case "org.h2.jdbc.JdbcConnection" -> org.h2.jdbc.JdbcStatement.class;
      default -> org.postgresql.PGStatement.class;
    };
  }
}

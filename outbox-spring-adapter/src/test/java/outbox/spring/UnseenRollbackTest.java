package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcOutbox;

/** A Spring transaction that goes on after a failure delivers only what the database kept. */
@Tag("slow")
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("combinations")
class UnseenRollbackTest {
  private static final String TOPIC = "placed";
  private static final String TRANSACTIONAL = "shipped";

  private final TestDatabases.Kind database;
  private final BusinessTable.Kind framework;
  private final HikariDataSource dataSource;
  private final JdbcTemplate jdbc;
  private final BusinessTable orders;
  private final TransactionTemplate transaction;
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final List<String> attempts = new CopyOnWriteArrayList<>();
  private Consumer<String> listener = order -> {};
  private final JdbcOutbox outbox;

  UnseenRollbackTest(TestDatabases.Kind database, BusinessTable.Kind framework) {
    this.database = database;
    this.framework = framework;
    this.dataSource = database.get();
    this.jdbc = new JdbcTemplate(dataSource);
    this.orders = framework.on(dataSource);
    this.transaction = new TransactionTemplate(orders.transactionManager());
    this.outbox =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .config(
                new OutboxConfig()
                    .setDispatcherWorkers(1)
                    .setPollerIntervalMs(100)
                    .setRetryBaseDelayMs(1))
            .transactions(
                new SpringTxContext(dataSource)
                    .watch((ConfigurableTransactionManager) orders.transactionManager()),
                new SpringTransactionRunner(orders.transactionManager(), dataSource))
            .listener(TOPIC, event -> handled.add(String.valueOf(event.payloadJson())))
            .transactionalListener(
                TRANSACTIONAL,
                (event, connection) -> {
                  String order = event.payloadJson() + "-" + (attempts.size() + 1);
                  attempts.add(order);
                  orders.insert(order);
                  listener.accept(order);
                })
            .start();
  }

  static Stream<Arguments> combinations() {
    return Stream.of(TestDatabases.Kind.values())
        .flatMap(
            database ->
                Stream.of(BusinessTable.Kind.values())
                    .map(framework -> Arguments.of(database, framework)));
  }

  @BeforeEach
  void createRows() {
    jdbc.execute("CREATE TABLE stock (id INT PRIMARY KEY, n INT)");
    jdbc.update("INSERT INTO stock VALUES (1, 0)");
    jdbc.update("INSERT INTO stock VALUES (2, 0)");
    jdbc.update("INSERT INTO orders (id) VALUES ('taken')");
  }

  @AfterEach
  void close() {
    outbox.close();
    orders.close();
    dataSource.close();
  }

  /** Hibernate marks the transaction itself, so that its commit fails. */
  @Test
  void duplicateKeyThatIsCaughtDeliversOnlyWhatTheDatabaseKept() {
    Throwable atCommit =
        catchThrowable(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      orders.insert("a");
                      publish("a");
                      assertThatThrownBy(() -> orders.insert("taken"))
                          .isInstanceOf(RuntimeException.class);
                    }));

    assertDeliveredIsWhatTheDatabaseKept();
    if (framework == BusinessTable.Kind.JPA) {
      assertThat(atCommit).isNotNull();
    } else {
      assertThat(atCommit).isNull();
    }
    assertThat(keptOrders()).hasSize(database == TestDatabases.Kind.H2 && !isJpa() ? 2 : 1);
  }

  @Test
  void duplicateKeyThatIsCaughtFromAJdbcTemplateDeliversOnlyWhatTheDatabaseKept() {
    transaction.executeWithoutResult(
        status -> {
          publish("a");
          assertThatThrownBy(() -> jdbc.update("INSERT INTO orders (id) VALUES ('taken')"))
              .isInstanceOf(DataAccessException.class);
        });

    assertDeliveredIsWhatTheDatabaseKept();
    assertThat(keptEvents()).hasSize(database == TestDatabases.Kind.H2 ? 1 : 0);
  }

  @Test
  void failureOnTheFrameworksOwnConnectionDeliversOnlyWhatTheDatabaseKept() {
    transaction.executeWithoutResult(
        status -> {
          publish("a");
          assertThat(orders.isRefused("taken")).isTrue();
        });

    assertDeliveredIsWhatTheDatabaseKept();
    assertThat(keptEvents()).hasSize(database == TestDatabases.Kind.H2 ? 1 : 0);
  }

  @Test
  void rollbackBySqlTextDeliversOnlyWhatTheDatabaseKept() {
    transaction.executeWithoutResult(
        status -> {
          publish("a");
          jdbc.execute("ROLLBACK");
          publish("b");
        });

    assertDeliveredIsWhatTheDatabaseKept();
    assertThat(keptEvents()).containsExactly("b");
  }

  @Test
  void rollbackOfTheConnectionItselfDeliversOnlyWhatTheDatabaseKept() {
    transaction.executeWithoutResult(
        status -> {
          publish("a");
          onConnection(Connection::rollback);
          publish("b");
        });

    assertDeliveredIsWhatTheDatabaseKept();
    assertThat(keptEvents()).containsExactly("b");
  }

  @Test
  void savepointOfTheConnectionItselfTakesTheEventsSinceWithIt() {
    transaction.executeWithoutResult(
        status -> {
          publish("a");
          onConnection(
              connection -> {
                Savepoint savepoint = connection.setSavepoint();
                publish("b");
                connection.rollback(savepoint);
              });
          publish("c");
        });

    assertDeliveredIsWhatTheDatabaseKept();
    assertThat(keptEvents()).containsExactly("a", "c");
  }

  /** PostgreSQL refuses whatever follows; H2 goes on in a transaction that begins by itself. */
  @Test
  void swallowedDeadlockDeliversOnlyWhatTheDatabaseKept() throws Exception {
    try (Rival rival = new Rival()) {
      transaction.executeWithoutResult(
          status -> {
            publish("a");
            rival.collide();
            assertThat(catchThrowable(() -> publish("b")) == null)
                .isEqualTo(database == TestDatabases.Kind.H2);
          });
    }

    assertDeliveredIsWhatTheDatabaseKept();
    assertThat(keptEvents()).doesNotContain("a");
  }

  @Test
  void listenerThatSwallowsADeadlockIsNotCompletedWithoutItsEffect() throws Exception {
    try (Rival rival = new Rival()) {
      listener =
          order -> {
            if (order.equals("a-1")) {
              rival.collide();
            }
          };

      transaction.executeWithoutResult(
          status -> outbox.publish(EventEnvelope.ofJson(TRANSACTIONAL, "a")));

      await().atMost(Duration.ofSeconds(60)).until(() -> done() == 1);
    }
    assertThat(attempts).containsExactly("a-1", "a-2");
    assertThat(keptOrders()).containsExactly("a-2", "taken");
  }

  @Test
  void listenerCannotCommitOrRollBackOnTheConnectionOfItsTransaction() {
    listener =
        order ->
            onConnection(
                connection -> {
                  assertThatThrownBy(connection::rollback)
                      .isInstanceOf(IllegalStateException.class);
                  if (order.equals("a-1")) {
                    connection.commit();
                  }
                });

    transaction.executeWithoutResult(
        status -> outbox.publish(EventEnvelope.ofJson(TRANSACTIONAL, "a")));

    await().atMost(Duration.ofSeconds(60)).until(() -> done() == 1);
    assertThat(attempts).containsExactly("a-1", "a-2");
    assertThat(keptOrders()).containsExactly("a-2", "taken");
  }

  private boolean isJpa() {
    return framework == BusinessTable.Kind.JPA;
  }

  private void publish(String order) {
    outbox.publish(EventEnvelope.ofJson(TOPIC, order));
  }

  private void onConnection(ConnectionWork work) {
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      work.run(connection);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits for an event of a transaction that is in doubt too, so all before are decided. */
  private void assertDeliveredIsWhatTheDatabaseKept() {
    List<String> kept = keptEvents();
    transaction.executeWithoutResult(
        status -> {
          jdbc.execute("SAVEPOINT doubt");
          publish("last");
        });
    await().atMost(Duration.ofSeconds(60)).until(() -> handled.contains("last"));
    assertThat(handled.stream().filter(order -> !order.equals("last")).toList())
        .containsExactlyInAnyOrderElementsOf(kept);
  }

  private List<String> keptEvents() {
    return jdbc.queryForList(
        "SELECT payload_text FROM outbox_event WHERE payload_text <> 'last' ORDER BY payload_text",
        String.class);
  }

  private List<String> keptOrders() {
    return jdbc.queryForList("SELECT id FROM orders ORDER BY id", String.class);
  }

  private int done() {
    Integer done =
        jdbc.queryForObject("SELECT count(*) FROM outbox_event WHERE status = 1", Integer.class);
    return done == null ? 0 : done;
  }

  private interface ConnectionWork {
    void run(Connection connection) throws Exception;
  }

  /** Begins before its victim, whose statement waits longer: both databases end that one. */
  private final class Rival implements AutoCloseable {
    private final Connection connection = dataSource.getConnection();

    private Rival() throws SQLException {
      connection.setAutoCommit(false);
      if (database == TestDatabases.Kind.POSTGRES) {
        update(connection, "SET deadlock_timeout = '60s'");
      }
      update(connection, "UPDATE stock SET n = 1 WHERE id = 2");
    }

    private void collide() {
      jdbc.update("UPDATE stock SET n = 2 WHERE id = 1");
      CompletableFuture<Void> blocked =
          CompletableFuture.runAsync(
              () -> update(connection, "UPDATE stock SET n = 1 WHERE id = 1"));
      assertThatThrownBy(() -> jdbc.update("UPDATE stock SET n = 2 WHERE id = 2"))
          .isInstanceOf(DataAccessException.class);
      blocked.exceptionally(e -> null).join();
      onRival();
    }

    private void onRival() {
      try {
        connection.rollback();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    private void update(Connection on, String sql) {
      try (var statement = on.createStatement()) {
        statement.execute(sql);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() throws SQLException {
      connection.rollback();
      if (database == TestDatabases.Kind.POSTGRES) {
        update(connection, "RESET deadlock_timeout");
        connection.commit();
      }
      connection.close();
    }
  }
}

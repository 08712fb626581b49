package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.NestedTransactionNotSupportedException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.contracts.support.Spec;
import outbox.jdbc.JdbcOutbox;

/** An event is delivered exactly if the rows written beside it are there. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("combinations")
@Spec("FRM-18")
class SpringTxContextTest {
  private static final String TOPIC = "placed";
  private static final String TRANSACTIONAL = "shipped";
  private static final String RETRIED = "returned";
  private static final String MARK = "mark";

  private static final Map<List<Object>, Application> APPLICATIONS = new HashMap<>();

  private final BusinessTable.Kind framework;
  private final Application application;
  private final List<String> handled;

  SpringTxContextTest(TestDatabases.Kind database, BusinessTable.Kind framework) {
    this.framework = framework;
    this.application =
        APPLICATIONS.computeIfAbsent(
            List.of(database, framework), key -> Application.start(database, framework));
    this.handled = application.handled;
    application.forget();
  }

  @AfterAll
  static void closeAll() {
    APPLICATIONS.values().forEach(Application::close);
    APPLICATIONS.clear();
  }

  static Stream<Arguments> combinations() {
    return Stream.of(TestDatabases.Kind.values())
        .flatMap(
            database ->
                Stream.of(BusinessTable.Kind.values())
                    .map(framework -> Arguments.of(database, framework)));
  }

  @Test
  @Spec({"FRM-22", "FRM-43", "FRM-44"})
  void committedEventIsDelivered() {
    required().executeWithoutResult(status -> place("a"));

    assertThat(handledBeforeMark()).containsExactly("a");
    assertThat(rows()).containsExactly("a");
  }

  @Test
  @Spec({"FRM-22", "FRM-23", "FRM-87"})
  void rolledBackEventIsNeverDelivered() {
    required()
        .executeWithoutResult(
            status -> {
              place("a");
              status.setRollbackOnly();
            });

    assertThat(handledBeforeMark()).isEmpty();
    assertThat(rows()).isEmpty();
  }

  @Test
  void rolledBackInnerTransactionDoesNotTouchTheOuterOne() {
    required()
        .executeWithoutResult(
            outer -> {
              place("a");
              with(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                  .executeWithoutResult(
                      inner -> {
                        place("b");
                        inner.setRollbackOnly();
                      });
              place("c");
            });

    assertThat(handledBeforeMark()).containsExactly("a", "c");
    assertThat(rows()).containsExactly("a", "c");
  }

  @Test
  void committedInnerTransactionSurvivesTheRollbackOfTheOuterOne() {
    required()
        .executeWithoutResult(
            outer -> {
              place("a");
              with(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                  .executeWithoutResult(inner -> place("b"));
              outer.setRollbackOnly();
            });

    assertThat(handledBeforeMark()).containsExactly("b");
    assertThat(rows()).containsExactly("b");
  }

  @Test
  void rolledBackNestedTransactionIsNeverDelivered() {
    withSavepoints(
        outer -> {
          nested("first", true);
          place("a");
          nested("b", true);
          nested("c", false);
        });
  }

  @Test
  void rolledBackSavepointTakesTheEventsSinceWithIt() {
    withSavepoints(
        status -> {
          place("a");
          Object savepoint = status.createSavepoint();
          place("b");
          status.rollbackToSavepoint(savepoint);
          place("c");
        });
  }

  @Test
  void transactionalListenerJoinsTheTransactionsOfTheApplication() {
    required()
        .executeWithoutResult(
            status -> application.outbox.publish(EventEnvelope.ofJson(TRANSACTIONAL, "a")));

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(handled).containsExactly("after a"));
    assertThat(rows()).containsExactly("a");
  }

  @Test
  void attemptOfATransactionalListenerThatThrowsLeavesNothing() {
    String followUp = "after b";
    required()
        .executeWithoutResult(
            status -> application.outbox.publish(EventEnvelope.ofJson(RETRIED, "b")));

    await().atMost(Duration.ofSeconds(30)).until(() -> handled.contains(followUp));
    assertThat(handledBeforeMark()).containsExactly(followUp);
    assertThat(rows()).containsExactly("b");
    assertThat(application.failedOnce).hasSize(1);
    assertThat(
            application
                .jdbc()
                .queryForObject(
                    "SELECT count(*) FROM outbox_event WHERE payload_text = ?",
                    Integer.class,
                    followUp))
        .isOne();
  }

  @Test
  void publishAfterTheCommitIsRefused() {
    List<Throwable> refusals = new CopyOnWriteArrayList<>();
    required()
        .executeWithoutResult(
            status -> {
              place("a");
              afterCommit(() -> refusals.add(catchThrowable(() -> publish("b"))));
            });

    assertThat(handledBeforeMark()).containsExactly("a");
    assertThat(refusals).singleElement(THROWABLE).hasMessageContaining("REQUIRES_NEW");
  }

  @Test
  void firstPublishAfterTheCommitIsRefused() {
    List<Throwable> refusals = new CopyOnWriteArrayList<>();
    required()
        .executeWithoutResult(
            status -> {
              application.orders.insert("a");
              afterCommit(() -> refusals.add(catchThrowable(() -> publish("b"))));
            });

    assertThat(handledBeforeMark()).isEmpty();
    assertThat(refusals)
        .singleElement(THROWABLE)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("has committed already", "REQUIRES_NEW");
  }

  @Test
  void newTransactionAfterTheCommitPublishes() {
    TransactionTemplate another = with(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    required()
        .executeWithoutResult(
            status -> {
              application.orders.insert("a");
              afterCommit(() -> another.executeWithoutResult(inner -> place("b")));
            });

    assertThat(handledBeforeMark()).containsExactly("b");
    assertThat(rows()).containsExactly("a", "b");
  }

  private static void afterCommit(Runnable action) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            action.run();
          }
        });
  }

  @Test
  @Spec("FRM-24")
  void publishWithoutTransactionIsRefused() {
    assertThatThrownBy(() -> publish("a"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("needs an active transaction");
  }

  /** Places a and c, and gives b up on the way; Spring has no savepoints in JPA's transactions. */
  private void withSavepoints(Consumer<TransactionStatus> work) {
    if (framework == BusinessTable.Kind.JPA) {
      assertThatThrownBy(() -> required().executeWithoutResult(work))
          .isInstanceOf(NestedTransactionNotSupportedException.class);
      assertThat(handledBeforeMark()).isEmpty();
      assertThat(rows()).isEmpty();
    } else {
      required().executeWithoutResult(work);
      assertThat(handledBeforeMark()).containsExactly("a", "c");
      assertThat(rows()).containsExactly("a", "c");
    }
  }

  private void nested(String id, boolean rollBack) {
    with(TransactionDefinition.PROPAGATION_NESTED)
        .executeWithoutResult(
            status -> {
              place(id);
              if (rollBack) {
                status.setRollbackOnly();
              }
            });
  }

  private void place(String id) {
    application.orders.insert(id);
    publish(id);
  }

  private void publish(String id) {
    application.publish(id);
  }

  /** One worker handles hot events in their order: what was handed over before is handled. */
  private List<String> handledBeforeMark() {
    required().executeWithoutResult(status -> publish(MARK));
    await().atMost(Duration.ofSeconds(30)).until(() -> handled.contains(MARK));
    return handled.stream().filter(id -> !id.equals(MARK)).toList();
  }

  private List<String> rows() {
    return application.jdbc().queryForList("SELECT id FROM orders ORDER BY id", String.class);
  }

  private TransactionTemplate required() {
    return with(TransactionDefinition.PROPAGATION_REQUIRED);
  }

  private TransactionTemplate with(int propagation) {
    TransactionTemplate template = new TransactionTemplate(application.orders.transactionManager());
    template.setPropagationBehavior(propagation);
    return template;
  }

  /** An outbox in the transactions of a framework, shared by the tests of a combination. */
  private record Application(
      HikariDataSource dataSource,
      BusinessTable orders,
      List<String> handled,
      Set<String> failedOnce,
      JdbcOutbox outbox) {

    static Application start(TestDatabases.Kind database, BusinessTable.Kind framework) {
      HikariDataSource dataSource = database.get();
      BusinessTable orders = framework.on(dataSource);
      List<String> handled = new CopyOnWriteArrayList<>();
      JdbcOutbox outbox =
          JdbcOutbox.builder(dataSource)
              .createSchema()
              .config(
                  new OutboxConfig()
                      .setDispatcherWorkers(1)
                      .setPollerIntervalMs(200)
                      .setRetryBaseDelayMs(10))
              .transactions(
                  new SpringTxContext(dataSource)
                      .watch((ConfigurableTransactionManager) orders.transactionManager()),
                  new SpringTransactionRunner(orders.transactionManager(), dataSource))
              .listener(TOPIC, event -> handled.add(payload(event)))
              .buildWithoutStart();
      Set<String> failedOnce = ConcurrentHashMap.newKeySet();
      Application application = new Application(dataSource, orders, handled, failedOnce, outbox);
      outbox
          .listeners()
          .registerTransactional(
              TRANSACTIONAL,
              (event, connection) -> {
                orders.insert(payload(event));
                application.publish("after " + payload(event));
              })
          .registerTransactional(
              RETRIED,
              (event, connection) -> {
                orders.insert(payload(event));
                application.publish("after " + payload(event));
                if (failedOnce.add(event.eventId())) {
                  throw new IllegalStateException("not at the first attempt");
                }
              });
      outbox.start();
      return application;
    }

    private static String payload(EventEnvelope event) {
      return String.valueOf(event.payloadJson());
    }

    void publish(String id) {
      outbox.publish(EventEnvelope.ofJson(TOPIC, id));
    }

    JdbcTemplate jdbc() {
      return new JdbcTemplate(dataSource);
    }

    void forget() {
      jdbc().update("DELETE FROM orders");
      handled.clear();
    }

    void close() {
      outbox.close();
      orders.close();
      dataSource.close();
    }
  }
}

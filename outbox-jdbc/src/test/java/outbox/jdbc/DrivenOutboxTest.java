package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testing.OutboxAssertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.dispatch.Retries;
import outbox.inbox.InboxKey;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.SqlServer;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.EventStatus;
import outbox.testing.OutboxDriver;
import outbox.testing.PublishedEvents;

/** The kit for tests of applications, with an outbox on each database. */
@Timeout(180)
class DrivenOutboxTest {
  private final List<String> handled = new CopyOnWriteArrayList<>();

  static Stream<Product> products() {
    boolean all = System.getenv(SqlServer.URL) != null;
    return Stream.of(Product.values()).filter(product -> all || product != Product.SQLSERVER);
  }

  record Order(long id, String item) {}

  @ParameterizedTest
  @MethodSource("products")
  void listenersRunWhenTheTestSaysSoAndItSeesWhatBecameOfTheEvents(Product product)
      throws Exception {
    Instant dueAt = Instant.now().plus(Duration.ofDays(1)).truncatedTo(ChronoUnit.MICROS);
    try (TestDatabase database = TestDatabase.create(product);
        JdbcOutbox outbox =
            JdbcOutbox.builder(database.dataSource())
                .createSchema()
                .retries(Retries.fixed(Duration.ofHours(1)))
                .listener("OrderPlaced", Order.class, order -> handled.add(order.item()))
                .listener(
                    "Failing",
                    event -> {
                      throw new IOException("mail server down");
                    })
                .start();
        OutboxDriver driver = OutboxDriver.of(outbox.dispatcher())) {
      PublishedEvents events = PublishedEvents.of(database.dataSource());
      outbox.inTransaction(
          connection -> {
            outbox.publish(
                "OrderPlaced",
                new Order(42, "book"),
                event ->
                    event
                        .idempotencyKey("k-1")
                        .tenantId("acme")
                        .aggregateType("Order")
                        .aggregateId("42")
                        .header("source", "web"));
            outbox.publish("Failing", "{}");
            outbox.publish("Reminder", new byte[] {1, 2}, event -> event.dueAt(dueAt));
          });

      assertThat(events)
          .contains("OrderPlaced")
          .withPayload(new Order(42, "book"))
          .withKey("k-1")
          .withTenant("acme")
          .withAggregate("Order", "42")
          .withHeader("source", "web")
          .withStatus(EventStatus.NEW)
          .once()
          .and()
          .contains("Reminder")
          .withDueTime(dueAt)
          .and()
          .hasSize(3);
      assertThat(events.ofTopic("Reminder").get(0).envelope().payloadBytes()).containsExactly(1, 2);
      assertThat(handled).isEmpty();

      driver.runAll();

      assertThat(handled).containsExactly("book");
      assertThat(events)
          .contains("OrderPlaced")
          .withStatus(EventStatus.DONE)
          .and()
          .contains("Failing")
          .withStatus(EventStatus.RETRY)
          .withAttempts(1)
          .withError("mail server down")
          .and()
          .contains("Reminder")
          .withStatus(EventStatus.NEW);

      events.reset();
      assertThat(events).isEmpty();
    }
  }

  @Test
  void whatRollsBackIsNotPublishedAndATransactionSeesItsOwn() throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.H2);
        JdbcOutbox outbox = JdbcOutbox.builder(database.dataSource()).createSchema().start()) {
      PublishedEvents events = PublishedEvents.of(database.dataSource());

      assertThatThrownBy(
              () ->
                  outbox.inTransaction(
                      connection -> {
                        outbox.publish("OrderPlaced", "{}");
                        assertThat(PublishedEvents.of(staying(connection))).contains("OrderPlaced");
                        assertThat(events).isEmpty();
                        throw new IOException("rolled back");
                      }))
          .isInstanceOf(IOException.class);

      assertThat(events).isEmpty();
    }
  }

  @Test
  void closedTheDriverLeavesTheOutboxToItself() throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.H2);
        JdbcOutbox outbox =
            JdbcOutbox.builder(database.dataSource())
                .createSchema()
                .listener("OrderPlaced", event -> handled.add(event.eventId()))
                .start()) {
      try (OutboxDriver driver = OutboxDriver.of(outbox.dispatcher())) {
        outbox.inTransaction(
            connection -> {
              outbox.publish("OrderPlaced", "{}");
            });
        assertThat(driver).isNotNull();
      }
      assertThat(outbox.dispatcher().runDue(Duration.ofSeconds(60))).isBetween(0, 1);
      assertThat(handled).hasSize(1);
    }
  }

  @Test
  void anInboxIsDrivenAsWell() {
    try (TestDatabase database = TestDatabase.create(Product.H2);
        JdbcInbox inbox =
            JdbcInbox.builder(database.dataSource())
                .createSchema()
                .handler("paid", Order.class, order -> handled.add(order.item()))
                .start();
        OutboxDriver driver = OutboxDriver.of(inbox.dispatcher())) {
      inbox.receive(new InboxKey("bank", "7"), "paid", new Order(1, "book"));
      assertThat(handled).isEmpty();

      driver.runAll();

      assertThat(handled).containsExactly("book");
    }
  }

  @Test
  void anotherTableIsReadByItsNameAndAMissingOneIsSaid() throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      OutboxSchema.of(database.dataSource()).tableName("shop_event").deploy();
      try (JdbcOutbox outbox =
          JdbcOutbox.builder(database.dataSource())
              .store(JdbcOutboxRepository.builder().tableName("shop_event").build())
              .start()) {
        outbox.inTransaction(
            connection -> {
              outbox.publish("OrderPlaced", "{}");
            });
      }

      assertThat(PublishedEvents.of(database.dataSource(), "shop_event")).hasSize(1);
      assertThatThrownBy(() -> PublishedEvents.of(database.dataSource()).all())
          .hasMessageContaining("is the table there?");
      assertThatThrownBy(() -> PublishedEvents.of(database.dataSource(), "a; DROP TABLE b"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** One connection that stays open, as Spring's proxy gives inside a transaction. */
  private static DataSource staying(Connection connection) {
    Connection open =
        proxy(
            Connection.class,
            (method, arguments) ->
                method.getName().equals("close") ? null : method.invoke(connection, arguments));
    return proxy(DataSource.class, (method, arguments) -> open);
  }

  private static <T> T proxy(Class<T> type, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            DrivenOutboxTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answer.to(method, arguments)));
  }

  private interface Answer {
    @Nullable Object to(Method method, Object[] arguments) throws Exception;
  }
}

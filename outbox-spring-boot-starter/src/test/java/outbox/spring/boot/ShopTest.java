package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionOperations;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.HandlerContext;
import outbox.Outbox;
import outbox.OutboxClient;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.contracts.support.Spec;
import outbox.inbox.Inbox;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.join.JoinCoordinator;

/** One application that uses all of the starter. */
@SpringBootTest(
    classes = ShopTest.Application.class,
    properties = {
      "shop.topic=placed",
      "outbox.application-events=true",
      "outbox.poller.interval=200ms",
      "outbox.retry.base-delay=10ms",
      "outbox.retry.unreadable-payloads=false",
      "outbox.dispatcher.workers=2"
    })
class ShopTest {
  /** Not a field of the bean, which others see through a proxy. */
  private static final List<String> SEEN = new CopyOnWriteArrayList<>();

  @Autowired TransactionOperations transactions;
  @Autowired OutboxClient client;
  @Autowired Outbox outbox;
  @Autowired Inbox inbox;
  @Autowired JoinCoordinator joins;
  @Autowired ApplicationEventPublisher events;
  @Autowired MeterRegistry meters;
  @Autowired ApplicationContext context;
  @Autowired JdbcTemplate jdbc;
  @Autowired Shop shop;

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  @Test
  void payloadIsReadByTheMapperOfTheApplication() {
    publish("placed", "{\"id\":\"a\",\"cents\":5}");

    awaitSeen("order a 5 placed");
  }

  @Test
  void payloadIsWrittenByTheMapperOfTheApplication() {
    transactions.executeWithoutResult(
        status -> client.publish("placed", new PlacedOrder("written", 7)));
    outbox.enqueue("placed", new PlacedOrder("queued", 8));

    awaitSeen("order written 7 placed", "order queued 8 placed");
  }

  @Test
  void whereAPayloadCannotBeReadIsKept() {
    String id = publish("placed", "{\"id\":\"x\",\"cents\":\"secret\"}");

    awaitDeath(
        id,
        error ->
            assertThat(error)
                .contains("PlacedOrder[\"cents\"]", "Shop.placed")
                .doesNotContain("secret"));
  }

  @Test
  void methodSeesMessageAndContext() {
    publish("looked-at", "x");

    awaitSeen("message looked-at retries=0 leased=true");
  }

  @Test
  void methodWithConnectionCommitsWithTheEvent() {
    publish("stored", "kept");

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(jdbc.queryForList("SELECT text FROM notes", String.class))
                    .contains("kept"));
  }

  @Test
  void methodThatThrowsIsCalledAgain() {
    publish("flaky", "f");

    awaitSeen("flaky failed", "flaky handled");
  }

  @Test
  void unreadablePayloadEndsDeadWithoutBeingQuoted() {
    String id = publish("placed", "{\"id\":\"secret");

    awaitDeath(
        id,
        error ->
            assertThat(error)
                .contains("never retried", "cannot be read as", "PlacedOrder", "line 1")
                .doesNotContain("secret"));
  }

  @Test
  void payloadThatIsNullEndsDeadBeforeItsListener() {
    String id = publish("placed", "null");

    awaitDeath(id, error -> assertThat(error).contains("cannot be read as", "it is null"));
  }

  private void awaitDeath(String id, Consumer<String> reason) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(
                        jdbc.queryForMap(
                            "SELECT status, last_error FROM outbox_event WHERE event_id = ?", id))
                    .containsEntry("status", 3)
                    .hasEntrySatisfying(
                        "last_error", error -> reason.accept(String.valueOf(error))));
  }

  @Test
  void beansOfThePlainInterfacesListenToo() {
    publish("plain", "p");
    publish("handled", "h");
    inbox.receive(new InboxKey("bank", "1"), "inbound.plain", "i");

    awaitSeen("plain p", "handler h", "inbox handler i");
  }

  @Test
  void listenerOfAllSeesEveryEvent() {
    publish("plain", "everything");

    awaitSeen("all plain");
  }

  @Test
  void inboxListenerHandlesEachKeyOnce() {
    inbox.receive(new InboxKey("bank", "7"), "inbound.order", "{\"id\":\"b\",\"cents\":9}");
    inbox.receive(new InboxKey("bank", "7"), "inbound.order", "{\"id\":\"b\",\"cents\":9}");

    awaitSeen("inbound b 9 from bank");
    assertThat(SEEN).containsOnlyOnce("inbound b 9 from bank");
  }

  @Test
  void markedApplicationEventGoesThroughTheOutbox() {
    transactions.executeWithoutResult(
        status -> events.publishEvent(new Shipped("c", "Main Street")));

    awaitSeen("shipped c");
  }

  @Test
  void workQueueJoinsTheTransactionOfTheThread() {
    transactions.executeWithoutResult(
        status -> {
          outbox.enqueue("plain", "discarded");
          status.setRollbackOnly();
        });
    outbox.enqueue("plain", "queued");

    awaitSeen("plain queued");
    assertThat(SEEN).doesNotContain("plain discarded");
  }

  @Test
  void joinsAreThere() {
    assertThat(joins.waitHandler().topic()).isNotEmpty();
  }

  @Test
  @Spec("FRM-94")
  void transactionalMethodOfABeanPublishes() {
    shop.place("d");

    awaitSeen("order d 1 placed");
  }

  @Test
  void metricsAndHealthAreShown() {
    publish("plain", "measured");

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              assertThat(
                      meters
                          .get("outbox.dispatched")
                          .tags("queue", "outbox", "outcome", "success")
                          .counter()
                          .count())
                  .isPositive();
              assertThat(
                      meters
                          .get("outbox.handler.duration")
                          .tags("topic", "plain", "outcome", "done")
                          .timer()
                          .count())
                  .isPositive();
            });
    assertThat(Boot.health(context).status()).isEqualTo("UP");
  }

  private String publish(String topic, String payload) {
    return transactions.execute(status -> client.publish(EventEnvelope.ofJson(topic, payload)));
  }

  private void awaitSeen(String... lines) {
    await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(SEEN).contains(lines));
  }

  record PlacedOrder(String id, long cents) {}

  @ExternalEvent("shipped")
  record Shipped(String order, String address) {}

  @Component
  static class Shop {
    private final AtomicBoolean failed = new AtomicBoolean();
    private final OutboxClient client;

    Shop(OutboxClient client, JdbcTemplate jdbc) {
      this.client = client;
      jdbc.execute("CREATE TABLE IF NOT EXISTS notes (text VARCHAR(100))");
    }

    @Transactional
    public void place(String id) {
      client.publish(EventEnvelope.ofJson("placed", "{\"id\":\"" + id + "\",\"cents\":1}"));
    }

    @OutboxListener("${shop.topic}")
    public void placed(PlacedOrder order, EventEnvelope event) {
      SEEN.add("order " + order.id() + " " + order.cents() + " " + event.eventType());
    }

    @OutboxListener("looked-at")
    public void look(OutboxMessage message, HandlerContext context) {
      SEEN.add(
          "message "
              + message.topic()
              + " retries="
              + message.retryCount()
              + " leased="
              + !context.leaseRemaining().isZero());
    }

    @OutboxListener("stored")
    public void store(String text, Connection connection) throws SQLException {
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO notes (text) VALUES (?)")) {
        insert.setString(1, text);
        insert.executeUpdate();
      }
    }

    @OutboxListener("flaky")
    public void flaky() {
      if (failed.compareAndSet(false, true)) {
        SEEN.add("flaky failed");
        throw new IllegalStateException("not yet");
      }
      SEEN.add("flaky handled");
    }

    @OutboxListener("shipped")
    public void shipped(Shipped event) {
      SEEN.add("shipped " + event.order());
    }

    @OutboxListener("*")
    public void all(EventEnvelope event) {
      SEEN.add("all " + event.eventType());
    }

    @InboxListener("inbound.order")
    public void inbound(PlacedOrder order, InboxMessage message) {
      SEEN.add("inbound " + order.id() + " " + order.cents() + " from " + message.source());
    }
  }

  @EnableAutoConfiguration
  @Import(Shop.class)
  static class Application {
    @Bean
    @OutboxListener("plain")
    EventListener plain() {
      return event -> SEEN.add("plain " + event.payloadJson());
    }

    @Bean
    OutboxHandler handler() {
      return OutboxHandler.of(
          "handled", (message, context) -> SEEN.add("handler " + message.payload()));
    }

    @Bean
    InboxHandler inboxHandler() {
      return InboxHandler.of(
          "inbound.plain", (message, context) -> SEEN.add("inbox handler " + message.payload()));
    }
  }
}

package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxClient;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;

/** What docs/spring.md shows, at work. */
@SpringBootTest(
    classes = ListenerSamplesTest.Application.class,
    properties = "outbox.poller.interval=200ms")
class ListenerSamplesTest {
  @Autowired OrderService service;
  @Autowired Inbox inbox;
  @Autowired JdbcTemplate jdbc;

  @Test
  void everySampleDoesWhatThePageSays() {
    service.place(new Order("a", 500));
    inbox.receive(new InboxKey("bank", "7"), "payment.received", "{\"id\":\"a\",\"cents\":500}");

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(jdbc.queryForList("SELECT line FROM journal", String.class))
                    .contains("mail a", "book a", "paid a by bank", "audit order.placed"));
  }

  record Order(String id, long cents) {}

  // region spring-publish
  @Component
  static class OrderService {
    private final OutboxClient outbox;

    OrderService(OutboxClient outbox) {
      this.outbox = outbox;
    }

    @Transactional
    public void place(Order order) {
      // Business writes go here, by JdbcClient, JPA or jOOQ.
      outbox.publish("order.placed", order);
    }
  }

  // endregion

  // region spring-listeners
  @Component
  static class Listeners {
    private final JdbcTemplate jdbc;

    Listeners(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    /** The payload, read from JSON; the envelope has id, headers and the rest. */
    @OutboxListener("order.placed")
    void mail(Order order, EventEnvelope event) {
      jdbc.update("INSERT INTO journal (line) VALUES (?)", "mail " + order.id());
    }

    /** Runs in a transaction that commits with the completion of the event, or not at all. */
    @OutboxListener(value = "order.placed", transactional = true)
    void book(Order order) {
      jdbc.update("INSERT INTO journal (line) VALUES (?)", "book " + order.id());
    }

    /** Messages from outside: exactly once for each key, because of the transaction. */
    @InboxListener(value = "payment.received", transactional = true)
    void paid(Order order, InboxMessage message) {
      String line = "paid " + order.id() + " by " + message.source();
      jdbc.update("INSERT INTO journal (line) VALUES (?)", line);
    }
  }

  // endregion

  @Component
  static class Export {
    // region spring-topic
    @OutboxListener(
        value = "order.placed",
        maxAttempts = 20,
        baseDelay = "5s",
        maxDelay = "10m",
        neverRetry = IllegalArgumentException.class)
    void export(Order order) {
      // …
    }
    // endregion
  }

  @EnableAutoConfiguration
  @Import({OrderService.class, Listeners.class, Export.class})
  static class Application {
    @Bean
    JdbcTemplate jdbc(javax.sql.DataSource dataSource) {
      JdbcTemplate jdbc = new JdbcTemplate(dataSource);
      jdbc.execute("CREATE TABLE IF NOT EXISTS journal (line VARCHAR(100))");
      return jdbc;
    }

    // region spring-plain
    @Bean
    @OutboxListener("*")
    EventListener audit(JdbcTemplate jdbc) {
      return event ->
          jdbc.update("INSERT INTO journal (line) VALUES (?)", "audit " + event.eventType());
    }

    // endregion
  }

  // region spring-external
  @ExternalEvent(value = "order.shipped", key = "'shipped-' + orderId", tenant = "tenant")
  record OrderShipped(String orderId, String tenant) {}

  static class Shipping {
    private final ApplicationEventPublisher events;

    Shipping(ApplicationEventPublisher events) {
      this.events = events;
    }

    @Transactional
    public void ship(String orderId, String tenant) {
      events.publishEvent(new OrderShipped(orderId, tenant));
    }
  }

  // endregion
}

package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.support.TransactionOperations;
import outbox.EventEnvelope;
import outbox.OutboxClient;

/** A listener method of a base class gets what the bean's class says that its variables are. */
class InheritedListenerTest {
  private static final BlockingQueue<Object> SEEN = new LinkedBlockingQueue<>();

  @Test
  void payloadHasTheTypeThatTheSubclassNames() throws Exception {
    try (ConfigurableApplicationContext context =
        SpringApplication.run(
            OrderListener.class,
            "--spring.main.web-application-type=none",
            "--spring.datasource.generate-unique-name=true")) {
      publish(context, "one", "{\"id\":\"a\"}");
      publish(context, "many", "{\"x\":{\"id\":\"b\"}}");

      List<Object> seen =
          List.of(
              String.valueOf(SEEN.poll(30, TimeUnit.SECONDS)),
              String.valueOf(SEEN.poll(30, TimeUnit.SECONDS)));
      assertThat(seen)
          .containsExactlyInAnyOrder(
              new Order("a").toString(), Map.of("x", new Order("b")).toString());
    }
  }

  private static void publish(ConfigurableApplicationContext context, String topic, String json) {
    OutboxClient client = context.getBean(OutboxClient.class);
    context
        .getBean(TransactionOperations.class)
        .executeWithoutResult(status -> client.publish(EventEnvelope.ofJson(topic, json)));
  }

  record Order(String id) {}

  abstract static class Base<T> {
    @OutboxListener("one")
    void one(T payload) {
      SEEN.add(payload);
    }

    @OutboxListener("many")
    void many(Map<String, T> payload) {
      SEEN.add(payload);
    }
  }

  @EnableAutoConfiguration
  static class OrderListener extends Base<Order> {}
}

package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.jdbc.JdbcOutbox;

/** An event that is published while listeners are still being found. */
class EarlyEventTest {
  private static final List<String> SEEN = new CopyOnWriteArrayList<>();

  @Test
  void reachesAllListenersOfItsTopic() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                Boot.DATA_SOURCE, Boot.TRANSACTION_MANAGER, OutboxAutoConfiguration.class))
        .withUserConfiguration(Application.class)
        .withPropertyValues("spring.datasource.generate-unique-name=true")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              await()
                  .atMost(Duration.ofSeconds(30))
                  .untilAsserted(() -> assertThat(SEEN).containsExactly("first", "second"));
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class Application {
    @OutboxListener("early")
    void first(String payload) {
      SEEN.add("first");
    }

    /** Made when it is registered, after the method. */
    @Bean
    @Lazy
    @OutboxListener("early")
    EventListener second(JdbcOutbox outbox) throws Exception {
      assertThat(outbox.listeners().listenersFor("early")).isEmpty();
      outbox.inTransaction(tx -> outbox.publish(EventEnvelope.ofJson("early", "x")));
      return event -> SEEN.add("second");
    }
  }
}

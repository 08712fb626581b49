package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.spring.boot.FailedStarts.APPLICATION;
import static outbox.spring.boot.FailedStarts.failureOf;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.EventListener;
import outbox.OutboxHandler;
import outbox.jdbc.JdbcOutbox;
import outbox.registry.NamedListener;

/** Listeners have names that outlive a restart, because events keep what became of each. */
class NamedListenerTest {

  @Test
  void aListenerIsNamedAfterItsBeanAndMethodOrAsTheAnnotationSays() {
    APPLICATION
        .withUserConfiguration(Listeners.class)
        .run(
            context -> {
              List<NamedListener> named =
                  context.getBean(JdbcOutbox.class).listeners().namedListenersFor("order");
              assertThat(named)
                  .extracting(NamedListener::name)
                  .containsExactlyInAnyOrder(
                      "shop.mail", "broker", "forwarding", "handling", "shop.audit");
            });
  }

  @Test
  void twoListenersOfATopicWithOneNameStopTheStart() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(TwoOfOneName.class));

    assertThat(failure.getDescription()).contains("cannot listen", "(mail) must be unique");
    assertThat(failure.getAction()).contains("@OutboxListener(name");
  }

  @Configuration("shop")
  static class Listeners {
    @OutboxListener("order")
    void mail(String payload) {}

    @OutboxListener(value = "order", name = "broker")
    void send(String payload) {}

    @OutboxListener("*")
    void audit(String payload) {}

    @Bean
    @OutboxListener("order")
    EventListener forwarding() {
      return event -> {};
    }

    @Bean
    OutboxHandler handling() {
      return OutboxHandler.of("order", (message, context) -> {});
    }
  }

  @Configuration
  static class TwoOfOneName {
    @OutboxListener(value = "order", name = "mail")
    void first(String payload) {}

    @OutboxListener(value = "order", name = "mail")
    void second(String payload) {}
  }
}

package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import outbox.EventEnvelope;
import outbox.spi.Propagation;

/** Propagations of the application work beside each other and beside that of traces. */
class CombinedPropagationTest {
  private static final List<String> CALLS = new ArrayList<>();

  @Test
  void allOfThemAreAskedInTheirOrder() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                Boot.DATA_SOURCE,
                OutboxAutoConfiguration.class,
                OutboxObservationAutoConfiguration.class))
        .withBean(ObservationRegistry.class, ObservationRegistry::create)
        .withUserConfiguration(Application.class)
        .withPropertyValues("spring.datasource.generate-unique-name=true")
        .run(
            context -> {
              Propagation all = context.getBean(OutboxFactory.class).propagation();

              assertThat(context).hasSingleBean(ObservationPropagation.class);
              assertThat(all.headers("placed"))
                  .containsOnly(
                      Map.entry("common", "tenant"),
                      Map.entry("tenant", "tenant"),
                      Map.entry("language", "language"));
              assertThat(all.around(EventEnvelope.ofJson("placed", "{}"), () -> "result"))
                  .isEqualTo("result");
              assertThat(CALLS)
                  .containsExactly("tenant", "language", "language ends", "tenant ends");
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class Application {
    @Bean
    @Order(2)
    Propagation language() {
      return new Named("language");
    }

    @Bean
    @Order(1)
    Propagation tenant() {
      return new Named("tenant");
    }
  }

  private record Named(String name) implements Propagation {
    @Override
    public Map<String, String> headers(String topic) {
      return Map.of("common", name, name, name);
    }

    @Override
    public <T> T around(EventEnvelope event, Callable<T> listeners) throws Exception {
      CALLS.add(name);
      try {
        return listeners.call();
      } finally {
        CALLS.add(name + " ends");
      }
    }
  }
}

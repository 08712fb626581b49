package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.support.TransactionOperations;
import outbox.OutboxClient;
import outbox.contracts.support.Spec;

/** The smallest application: nothing but the starter, a database driver and these ten lines. */
class TenLinesTest {
  private static final BlockingQueue<String> HANDLED = new LinkedBlockingQueue<>();

  // region spring-start
  @EnableAutoConfiguration
  static class Application {
    @Bean
    ApplicationRunner publish(OutboxClient outbox, TransactionOperations transactions) {
      return args -> transactions.executeWithoutResult(tx -> outbox.publish("greeting", "hello"));
    }

    @OutboxListener("greeting")
    void handle(String payload) {
      HANDLED.add(payload);
    }
  }

  // endregion

  @ParameterizedTest(name = "lazy initialization: {0}")
  @ValueSource(booleans = {false, true})
  @Spec({"FRM-18", "FRM-94"})
  void publishesAndHandles(boolean lazy) throws Exception {
    SpringApplication application = new SpringApplication(Application.class);
    try (ConfigurableApplicationContext context =
        application.run(
            "--spring.main.web-application-type=none",
            "--spring.main.lazy-initialization=" + lazy,
            "--spring.datasource.generate-unique-name=true")) {
      assertThat(HANDLED.poll(30, TimeUnit.SECONDS)).isEqualTo("hello");
      assertThat(context.isRunning()).isTrue();
    }
  }
}

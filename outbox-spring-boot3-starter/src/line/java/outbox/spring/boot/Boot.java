package outbox.spring.boot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Objects;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration;
import org.springframework.boot.web.context.WebServerGracefulShutdownLifecycle;
import org.springframework.context.ApplicationContext;
import outbox.PayloadCodec;
import outbox.jackson.Jackson2Codec;
import outbox.spring.boot3.OutboxHealthAutoConfiguration;

/** What the tests need of Spring Boot 3.5 and the other line has elsewhere. */
final class Boot {
  static final Class<?> DATA_SOURCE = DataSourceAutoConfiguration.class;
  static final Class<?> TRANSACTION_MANAGER = DataSourceTransactionManagerAutoConfiguration.class;
  static final Class<?> JDBC_TEMPLATE = JdbcTemplateAutoConfiguration.class;
  static final Class<?> TRANSACTIONS = TransactionAutoConfiguration.class;
  static final Class<?> JACKSON = JacksonAutoConfiguration.class;
  static final Class<?> OUTBOX_HEALTH = OutboxHealthAutoConfiguration.class;
  static final int WEB_SERVER_SHUTDOWN_PHASE =
      WebServerGracefulShutdownLifecycle.SMART_LIFECYCLE_PHASE;
  static final int WEB_SERVER_STOP_PHASE = WEB_SERVER_SHUTDOWN_PHASE - 1024;

  private Boot() {}

  /** By a mapper of the Jackson that the line brings. */
  static PayloadCodec codec() {
    return new Jackson2Codec(new ObjectMapper());
  }

  /** What the health endpoint says of the outbox. */
  static OutboxHealth.Report health(ApplicationContext context) {
    Health health =
        Objects.requireNonNull(
            context.getBean("outboxHealthIndicator", HealthIndicator.class).health());
    return new OutboxHealth.Report(health.getStatus().getCode(), health.getDetails());
  }

  /** A listener that takes its payload as a tree. */
  static class WantsTree {
    @OutboxListener("tree")
    void on(JsonNode payload) {}
  }
}

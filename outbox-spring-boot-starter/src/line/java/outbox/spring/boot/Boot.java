package outbox.spring.boot;

import java.util.Objects;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import outbox.PayloadCodec;
import outbox.jackson.JacksonCodec;
import outbox.spring.boot4.OutboxHealthAutoConfiguration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the tests need of Spring Boot 4 and the other line has elsewhere. */
final class Boot {
  static final Class<?> DATA_SOURCE = DataSourceAutoConfiguration.class;
  static final Class<?> TRANSACTION_MANAGER = DataSourceTransactionManagerAutoConfiguration.class;
  static final Class<?> JDBC_TEMPLATE = JdbcTemplateAutoConfiguration.class;
  static final Class<?> TRANSACTIONS = TransactionAutoConfiguration.class;
  static final Class<?> JACKSON = JacksonAutoConfiguration.class;
  static final Class<?> OUTBOX_HEALTH = OutboxHealthAutoConfiguration.class;
  static final int WEB_SERVER_SHUTDOWN_PHASE = WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE;
  static final int WEB_SERVER_STOP_PHASE = WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE;

  private Boot() {}

  /** By a mapper of the Jackson that the line brings. */
  static PayloadCodec codec() {
    return new JacksonCodec(JsonMapper.shared());
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

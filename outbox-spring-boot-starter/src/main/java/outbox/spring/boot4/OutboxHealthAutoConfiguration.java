package outbox.spring.boot4;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import outbox.spring.boot.OutboxHealth;
import outbox.spring.boot.OutboxHealthConfiguration;

/** Shows the outbox at the health endpoint. */
@AutoConfiguration
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@ConditionalOnEnabledHealthIndicator("outbox")
@Import(OutboxHealthConfiguration.class)
public class OutboxHealthAutoConfiguration {

  /** Made by Spring. */
  OutboxHealthAutoConfiguration() {}

  @Bean
  OutboxHealthIndicator outboxHealthIndicator(OutboxHealth health) {
    return new OutboxHealthIndicator(health);
  }
}

package outbox.spring.boot3;

import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
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

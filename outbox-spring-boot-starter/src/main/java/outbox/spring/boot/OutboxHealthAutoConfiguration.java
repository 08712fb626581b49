package outbox.spring.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Shows the outbox at the health endpoint. */
@AutoConfiguration
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@ConditionalOnEnabledHealthIndicator("outbox")
public class OutboxHealthAutoConfiguration {

  /** Made by Spring. */
  OutboxHealthAutoConfiguration() {}

  @Bean
  OutageWatch outboxOutageWatch() {
    return new OutageWatch();
  }

  @Bean
  OutboxHealthIndicator outboxHealthIndicator(OutboxLifecycle lifecycle, OutageWatch watch) {
    return new OutboxHealthIndicator(lifecycle, watch);
  }
}

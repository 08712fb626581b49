package outbox.spring.boot;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Observes publishing and handling, if the application observes at all. */
@AutoConfiguration(
    afterName = {
      BootModules.OBSERVATION_4 + "ObservationAutoConfiguration",
      BootModules.OBSERVATION_3 + "ObservationAutoConfiguration"
    })
@ConditionalOnClass(ObservationRegistry.class)
public class OutboxObservationAutoConfiguration {

  /** Made by Spring. */
  OutboxObservationAutoConfiguration() {}

  @Bean
  @ConditionalOnBean(ObservationRegistry.class)
  ObservationPropagation outboxPropagation(ObservationRegistry registry) {
    return new ObservationPropagation(registry);
  }
}

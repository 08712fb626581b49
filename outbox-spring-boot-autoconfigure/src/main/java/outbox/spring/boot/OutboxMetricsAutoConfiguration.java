package outbox.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import outbox.micrometer.MicrometerMetricsExporter;

/** Counts and measures in the application's meter registry, if it has one. */
@AutoConfiguration(
    afterName = {
      BootModules.METRICS_4 + "CompositeMeterRegistryAutoConfiguration",
      BootModules.METRICS_3 + "CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties(OutboxProperties.class)
public class OutboxMetricsAutoConfiguration {

  /** Made by Spring. */
  OutboxMetricsAutoConfiguration() {}

  @Bean
  @ConditionalOnBean(MeterRegistry.class)
  QueueMetrics micrometerQueueMetrics(MeterRegistry registry, OutboxProperties properties) {
    return queue ->
        MicrometerMetricsExporter.builder(registry)
            .tag("queue", queue)
            .maxTopics(properties.metrics().maxTopics())
            .build();
  }
}

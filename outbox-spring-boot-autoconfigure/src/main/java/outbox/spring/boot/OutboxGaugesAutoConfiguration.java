package outbox.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import outbox.admin.data.OperatedDatabase;
import outbox.micrometer.QueueGauges;

/** Shows what the tables have as gauges of the application's meter registry, if it has one. */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, OutboxMetricsAutoConfiguration.class})
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, OutboxFactory.class})
public class OutboxGaugesAutoConfiguration {

  /** Made by Spring. */
  OutboxGaugesAutoConfiguration() {}

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  QueueGauges outboxQueueGauges(MeterRegistry registry, OutboxFactory factory) {
    OutboxProperties outbox = factory.properties();
    OperatedDatabase database =
        OperatedDatabase.builder("main", factory.database().dataSource())
            .outboxTable(outbox.table())
            .inboxTable(outbox.inbox().table())
            .joinTable(outbox.joins().table())
            .waitTopic(outbox.joins().waitTopic())
            .build();
    try {
      return QueueGauges.builder(registry)
          .database(database)
          .maxTopics(outbox.metrics().maxTopics())
          .interval(outbox.metrics().interval())
          .start();
    } catch (IllegalArgumentException e) {
      throw new OutboxSetupException(
          "A setting under outbox.metrics is refused: " + e.getMessage() + ".",
          "Change it, or leave it out.",
          e);
    }
  }

  @Bean
  QueueBacklog outboxQueueBacklog(QueueGauges gauges) {
    return gauges::backlog;
  }
}

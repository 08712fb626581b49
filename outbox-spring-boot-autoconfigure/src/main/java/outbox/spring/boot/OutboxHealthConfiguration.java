package outbox.spring.boot;

import java.util.OptionalLong;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the health indicators of both lines of Spring Boot report. The starters import it. */
@Configuration(proxyBeanMethods = false)
public class OutboxHealthConfiguration {

  /** Made by Spring. */
  OutboxHealthConfiguration() {}

  @Bean
  OutageWatch outboxOutageWatch() {
    return new OutageWatch();
  }

  @Bean
  OutboxHealth outboxHealth(
      OutboxLifecycle lifecycle,
      OutageWatch watch,
      OutboxFactory factory,
      ObjectProvider<QueueBacklog> backlog) {
    return new OutboxHealth(
        lifecycle,
        watch,
        factory.config().getDispatcherWorkers(),
        backlog.getIfAvailable(() -> queue -> OptionalLong.empty()));
  }
}

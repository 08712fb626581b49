package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import outbox.spi.MetricsExporter;

/** What the engine reports reaches the health endpoint beside the meters. */
class HealthTest {
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  DataSourceAutoConfiguration.class,
                  OutboxAutoConfiguration.class,
                  OutboxMetricsAutoConfiguration.class,
                  OutboxHealthAutoConfiguration.class))
          .withBean(SimpleMeterRegistry.class)
          .withPropertyValues("spring.datasource.generate-unique-name=true");

  @Test
  void isDownWhileADatabaseDoesNotAnswer() {
    application.run(
        context -> {
          OutboxHealthIndicator health = context.getBean(OutboxHealthIndicator.class);
          MetricsExporter engine = context.getBean(OutboxFactory.class).metrics().of("billing");
          assertThat(health.health()).isEqualTo(Health.up().build());

          engine.recordOutage("outbox_event", true);
          assertThat(health.health())
              .isEqualTo(Health.down().withDetail("databaseDownFor", Set.of("billing")).build());
          assertThat(
                  context
                      .getBean(SimpleMeterRegistry.class)
                      .get("outbox.stores.down")
                      .tag("queue", "billing")
                      .gauge()
                      .value())
              .isOne();

          engine.recordOutage("outbox_event", false);
          assertThat(health.health()).isEqualTo(Health.up().build());
        });
  }

  @Test
  void isOutOfServiceOnceStopped() {
    application.run(
        context -> {
          context.getBean(OutboxLifecycle.class).stop();

          assertThat(context.getBean(OutboxHealthIndicator.class).health().getStatus())
              .isEqualTo(Status.OUT_OF_SERVICE);
        });
  }
}

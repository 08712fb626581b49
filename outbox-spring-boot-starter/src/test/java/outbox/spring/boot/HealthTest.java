package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.spi.MetricsExporter;

/** What the engine reports reaches the health endpoint beside the meters. */
class HealthTest {
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  Boot.DATA_SOURCE,
                  OutboxAutoConfiguration.class,
                  OutboxMetricsAutoConfiguration.class,
                  OutboxGaugesAutoConfiguration.class,
                  Boot.OUTBOX_HEALTH))
          .withBean(SimpleMeterRegistry.class)
          .withPropertyValues("spring.datasource.generate-unique-name=true");

  @Test
  void isDownWhileADatabaseDoesNotAnswer() {
    application.run(
        context -> {
          MetricsExporter engine = context.getBean(OutboxFactory.class).metrics().of("billing");
          assertThat(Boot.health(context).status()).isEqualTo("UP");

          engine.recordOutage("outbox_event", true);
          assertThat(Boot.health(context).status()).isEqualTo("DOWN");
          assertThat(Boot.health(context).details())
              .containsEntry("databaseDownFor", Set.of("billing"));
          assertThat(
                  context
                      .getBean(SimpleMeterRegistry.class)
                      .get("outbox.stores.down")
                      .tag("queue", "billing")
                      .gauge()
                      .value())
              .isOne();

          engine.recordOutage("outbox_event", false);
          assertThat(Boot.health(context).status()).isEqualTo("UP");
        });
  }

  @Test
  void saysWhileUpWhoWorksWhatWaitsAndWhenItPolledLast() {
    application.run(
        context -> {
          context.getBean(Outbox.class).enqueue(EventEnvelope.ofJson("nothing-handles-this", "{}"));
          await()
              .atMost(Duration.ofSeconds(60))
              .untilAsserted(
                  () ->
                      assertThat(Boot.health(context).details())
                          .extractingByKey("outbox", InstanceOfAssertFactories.MAP)
                          .containsEntry("workers", 4)
                          .containsEntry("waitingInMemory", 0)
                          .containsKey("backlog")
                          .hasEntrySatisfying(
                              "lastPoll",
                              at ->
                                  assertThat(Instant.parse((String) at))
                                      .isAfter(Instant.now().minusSeconds(60))));
        });
  }

  @Test
  void isOutOfServiceOnceStopped() {
    application.run(
        context -> {
          context.getBean(OutboxLifecycle.class).stop();

          assertThat(Boot.health(context).status()).isEqualTo("OUT_OF_SERVICE");
        });
  }
}

package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.spring.boot.FailedStarts.APPLICATION;
import static outbox.spring.boot.FailedStarts.failureOf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.ReflectionTestUtils;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxClient;
import outbox.dispatch.Retries;

/** Settings of single topics, by the annotations of their listeners and by properties. */
class TopicSettingsTest {

  @Test
  void listenerGivesSettingsToItsTopic() {
    APPLICATION
        .withUserConfiguration(Patient.class)
        .withPropertyValues("patience=7s")
        .run(
            context -> {
              OutboxFactory factory = context.getBean(OutboxFactory.class);
              for (String topic : new String[] {"method", "class", "factory"}) {
                Retries retries = ofOutbox(factory, topic);
                assertThat(rule(retries, "maxAttempts")).as(topic).isEqualTo(4);
                assertThat(rule(retries, "maxAge")).as(topic).isNull();
              }
              Retries retries = ofOutbox(factory, "method");
              assertThat(retries.jitter(0).delays().computeDelayMs(1)).isEqualTo(7_000);
              assertThat(retries.jitter(0).delays().computeDelayMs(9)).isEqualTo(60_000);
              assertThat(rule(retries, "retriedByType"))
                  .isEqualTo(Map.of(IOException.class, false, TimeoutException.class, true));
              assertThat(factory.config().getMaxHandlingTime("method"))
                  .isEqualTo(Duration.ofSeconds(42));
              assertThat(rule(ofInbox(factory, "received"), "maxAge"))
                  .isEqualTo(Duration.ofHours(1));
            });
  }

  @Test
  void propertiesOverrideWhatListenersSay() {
    APPLICATION
        .withUserConfiguration(Patient.class)
        .withPropertyValues(
            "patience=7s",
            "outbox.topics.method.max-attempts=5",
            "outbox.topics.method.max-handling-time=43s",
            "outbox.topics.method.always-retry=java.io.IOException")
        .run(
            context -> {
              OutboxFactory factory = context.getBean(OutboxFactory.class);
              Retries retries = ofOutbox(factory, "method");
              assertThat(rule(retries, "maxAttempts")).isEqualTo(5);
              assertThat(rule(retries, "retriedByType"))
                  .isEqualTo(Map.of(IOException.class, true, TimeoutException.class, true));
              assertThat(retries.jitter(0).delays().computeDelayMs(1)).isEqualTo(7_000);
              assertThat(factory.config().getMaxHandlingTime("method"))
                  .isEqualTo(Duration.ofSeconds(43));
            });
  }

  @Test
  void generalRulesHoldWhereATopicSaysNothing() {
    APPLICATION
        .withPropertyValues(
            "outbox.retry.max-age=2h",
            "outbox.retry.never=java.io.IOException",
            "outbox.topics.slow.base-delay=5m",
            "outbox.topics.aged.max-age=3h",
            "outbox.topics.quick.max-delay=50ms")
        .run(
            context -> {
              OutboxFactory factory = context.getBean(OutboxFactory.class);
              Retries slow = ofOutbox(factory, "slow");
              assertThat(rule(slow, "maxAge")).isEqualTo(Duration.ofHours(2));
              assertThat(rule(slow, "maxAttempts")).isEqualTo(10);
              assertThat(rule(slow, "retriedByType")).isEqualTo(Map.of(IOException.class, false));
              assertThat(slow.jitter(0).delays().computeDelayMs(5)).isEqualTo(300_000);
              Retries aged = ofOutbox(factory, "aged");
              assertThat(rule(aged, "maxAge")).isEqualTo(Duration.ofHours(3));
              assertThat(rule(aged, "maxAttempts")).as("only the limit of the topic").isNull();
              Retries inbox = Looks.field(factory.inboxBuilder(), "retries", Retries.class);
              assertThat(rule(inbox, "maxAge")).isEqualTo(Duration.ofHours(2));
              assertThat(rule(inbox, "maxAttempts")).isEqualTo(10);
              assertThat(inbox.delays().computeDelayMs(2)).isEqualTo(4_000);
              assertThat(ofOutbox(factory, "quick").jitter(0).delays().computeDelayMs(1))
                  .isEqualTo(50);
            });
  }

  @Test
  void listenersThatContradictEachOtherAreRefused() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(Contradictory.class));

    assertThat(failure.getDescription()).contains("topic same", "another listener", "2", "3");
    assertThat(failure.getAction()).contains("outbox.topics.same");
  }

  @Test
  void listenerOfAllTopicsCannotHaveSettings() {
    assertThat(failureOf(APPLICATION.withUserConfiguration(OfAll.class)).getDescription())
        .contains("topic *", "none whose settings");
    assertThat(
            failureOf(APPLICATION.withPropertyValues("outbox.topics[*].max-attempts=2"))
                .getAction())
        .contains("outbox.retry");
  }

  @Test
  void settingsOfAnUnknownClassAreRefused() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(Hidden.class));

    assertThat(failure.getDescription()).contains("Secret.on", "not known at the start");
    assertThat(failure.getAction()).contains("@Bean method", "outbox.topics.secret");
  }

  @Test
  void impossibleRulesNameTheirProperties() {
    assertThat(refusal("outbox.topics.shipped.jitter=2"))
        .contains("outbox.topics.shipped", "jitter");
    assertThat(refusal("outbox.retry.jitter=2")).contains("outbox.retry", "jitter");
  }

  private static String refusal(String setting) {
    ApplicationContextRunner runner = APPLICATION.withPropertyValues(setting);
    FailureAnalysis failure = failureOf(runner);
    return failure.getDescription() + failure.getAction();
  }

  private static Retries ofOutbox(OutboxFactory factory, String topic) {
    return of(factory.builder(factory.database(), QueueMetrics.OUTBOX), topic);
  }

  private static Retries ofInbox(OutboxFactory factory, String topic) {
    return of(factory.inboxBuilder(), topic);
  }

  private static Retries of(Object builder, String topic) {
    return Objects.requireNonNull(
        (Retries) Looks.field(builder, "retriesByTopic", Map.class).get(topic), topic);
  }

  private static @Nullable Object rule(Retries retries, String name) {
    return ReflectionTestUtils.getField(retries, name);
  }

  @Configuration(proxyBeanMethods = false)
  static class Patient {
    @OutboxListener(
        value = "method",
        maxAttempts = 4,
        baseDelay = "${patience}",
        maxHandlingTime = "42s",
        neverRetry = IOException.class,
        alwaysRetry = TimeoutException.class)
    void on(String payload) {}

    /** Agrees with the other. */
    @OutboxListener(value = "method", maxAttempts = 4)
    void alsoOn(String payload) {}

    @InboxListener(value = "received", maxAge = "1h")
    void received(String payload) {}

    @Bean
    Annotated annotated() {
      return new Annotated();
    }

    @Bean
    @OutboxListener(value = "factory", maxAttempts = 4)
    EventListener made() {
      return event -> {};
    }
  }

  @OutboxListener(value = "class", maxAttempts = 4)
  static class Annotated implements EventListener {
    @Override
    public void onEvent(EventEnvelope event) {}
  }

  static class Contradictory {
    @OutboxListener(value = "same", maxAttempts = 2)
    void one(String payload) {}

    @OutboxListener(value = "same", maxAttempts = 3)
    void other(String payload) {}
  }

  static class OfAll {
    @OutboxListener(value = "*", maxAttempts = 2)
    void on(String payload) {}
  }

  static class Secret {
    @OutboxListener(value = "secret", neverRetry = UncheckedIOException.class)
    void on(String payload) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class Hidden {
    /** Made after the outbox. */
    @Bean
    Object secret(OutboxClient client) {
      return new Secret();
    }
  }
}

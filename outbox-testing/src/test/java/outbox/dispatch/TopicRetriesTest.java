package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.RetryAfterException;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.Outcome.Dead;
import outbox.dispatch.Outcome.Retry;
import outbox.dispatch.QueuedEvent.Source;
import outbox.testing.Spec;

class TopicRetriesTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Retries HOURLY = Retries.fixed(HOUR);

  @Test
  void ageIsReckonedFromTheDueTimeIfThatIsLater() {
    Instant yesterday = Instant.now().minus(Duration.ofDays(1));
    TopicRetries retries = retries(HOURLY.maxAge(Duration.ofHours(3)));

    assertThat(outcome(retries, yesterday, null)).isInstanceOf(Dead.class);
    assertThat(outcome(retries, yesterday, Instant.now().minus(HOUR))).isInstanceOf(Retry.class);
    assertThat(outcome(retries, Instant.now(), yesterday)).isInstanceOf(Retry.class);
  }

  @Test
  void whatTheListenerSaysGoesBeforeTheLists() {
    TopicRetries retries = retries(HOURLY.never(IOException.class));
    RetryAfterException later =
        new RetryAfterException(Duration.ofMinutes(5), "busy", new IOException());

    assertThat(retries.outcomeOf(delivery(0), later))
        .isInstanceOfSatisfying(
            Retry.class, retry -> assertThat(retry.delay()).isEqualTo(Duration.ofMinutes(5)));
    assertThat(
            retries(HOURLY.always(RuntimeException.class))
                .outcomeOf(delivery(0), new PermanentFailureException("no")))
        .isInstanceOf(Dead.class);
  }

  @Test
  void anAskedDelayPastTheAgeLimitEndsTheEvent() {
    TopicRetries retries = retries(HOURLY.maxAge(Duration.ofHours(3)));

    assertThat(retries.outcomeOf(delivery(0), new RetryAfterException(HOUR, "busy")))
        .isInstanceOf(Retry.class);
    assertThat(retries.outcomeOf(delivery(0), new RetryAfterException(Duration.ofHours(4), "busy")))
        .isInstanceOf(Dead.class);
  }

  @Test
  void theReasonForTheLogSaysNothingOfTheMessage() {
    Outcome outcome = retries(HOURLY.maxAttempts(3)).outcomeOf(delivery(2), new IOException("pin"));

    assertThat(outcome)
        .isEqualTo(
            new Dead(
                "gave up after 3 attempts, last with java.io.IOException",
                "gave up after 3 attempts: java.io.IOException: pin"));
  }

  @Test
  void refusesWhatIsNoTopic() {
    assertThatThrownBy(() -> TopicRetries.checkedTopic("*"))
        .hasMessage("topic (*) must be one topic; retries(…) without a topic is for all others");
  }

  @Test
  @Spec("IDEM-36")
  void theDelayStaysTheSameWithoutExponentialBackoff() {
    OutboxConfig config =
        new OutboxConfig()
            .setRetryBaseDelayMs(1_000)
            .setRetryMaxDelayMs(60_000)
            .setRetryMaxAttempts(100);

    assertThat(delayAfter(config, 6)).isGreaterThan(Duration.ofSeconds(15));
    assertThat(delayAfter(config.setUseExponentialBackoff(false), 6))
        .isBetween(Duration.ofMillis(500), Duration.ofMillis(1_500));
  }

  private static Duration delayAfter(OutboxConfig config, int failures) {
    TopicRetries retries = new TopicRetries(config, null, Map.of());
    Outcome outcome = retries.outcomeOf(delivery(failures - 1), new IOException("down"));
    return ((Retry) outcome).delay();
  }

  private static TopicRetries retries(Retries retries) {
    return new TopicRetries(new OutboxConfig(), null, Map.of("Any", retries));
  }

  private static Outcome outcome(TopicRetries retries, Instant createdAt, @Nullable Instant due) {
    return retries.outcomeOf(delivery(0, createdAt, due), new IOException("down"));
  }

  private static Delivery delivery(int attempts) {
    return delivery(attempts, Instant.now(), null);
  }

  private static Delivery delivery(int attempts, Instant createdAt, @Nullable Instant due) {
    EventEnvelope event = EventEnvelope.builder("Any").payloadJson("{}").dueAt(due).build();
    return new Delivery(event, Source.COLD, attempts, createdAt, new Hold("me", 0), false, 0);
  }
}

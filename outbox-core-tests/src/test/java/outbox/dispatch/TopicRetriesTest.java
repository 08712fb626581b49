package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.RetryAfterException;
import outbox.contracts.support.Spec;
import outbox.internal.engine.delivery.Deliveries;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.Outcome.Dead;
import outbox.internal.engine.delivery.Outcome.Retry;

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

  @Test
  @Spec({"FRM-58", "FRM-73", "FRM-74"})
  void theDefaultDelaysDoubleFrom200MillisecondsUpToAMinuteAndTheTenthFailureIsTheLast() {
    OutboxConfig config = new OutboxConfig();
    long[] expected = {200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200};
    for (int failures = 1; failures <= expected.length; failures++) {
      assertScatteredAround(expected[failures - 1], config, failures);
    }
    assertThat(
            new TopicRetries(config, null, Map.of())
                .outcomeOf(delivery(9), new IOException("down")))
        .isInstanceOf(Dead.class);

    config.setRetryMaxAttempts(100);
    assertScatteredAround(60_000, config, 10);
    assertScatteredAround(60_000, config, 60);
  }

  @Test
  @Spec({"FRM-58", "FRM-73", "FRM-79"})
  void theDelaysDoubleFromTheConfiguredFirstOneUpToTheConfiguredLongest() {
    OutboxConfig config = new OutboxConfig().setRetryBaseDelayMs(3_000).setRetryMaxDelayMs(10_000);

    assertScatteredAround(3_000, config, 1);
    assertScatteredAround(6_000, config, 2);
    assertScatteredAround(10_000, config, 3);
    assertScatteredAround(10_000, config, 4);
  }

  /** A thousand delays are from a half to one and a half of what is expected, and reach both. */
  private static void assertScatteredAround(long millis, OutboxConfig config, int failures) {
    List<Long> delays =
        IntStream.range(0, 1_000).mapToObj(i -> delayAfter(config, failures).toMillis()).toList();

    assertThat(delays)
        .allSatisfy(delay -> assertThat(delay).isBetween(millis / 2, millis + millis / 2))
        .anySatisfy(delay -> assertThat(delay).isLessThan(millis * 6 / 10))
        .anySatisfy(delay -> assertThat(delay).isGreaterThan(millis * 14 / 10));
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
    return Deliveries.claimed(event, attempts, createdAt);
  }
}

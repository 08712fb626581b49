package outbox.dispatch;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.RetryAfterException;
import outbox.UnreadablePayloadException;
import outbox.internal.engine.common.Errors;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.Outcome.Dead;
import outbox.internal.engine.delivery.Outcome.Retry;
import outbox.internal.engine.handling.RetryRules;

/** Decides, by the rules of its topic, what becomes of an event whose listener failed. */
final class TopicRetries implements RetryRules {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);
  private static final Duration PAUSE_AFTER_POLICY_ERROR = Duration.ofMinutes(1);

  private final Retries general;
  private final boolean retryUnreadable;
  private final Map<String, Retries> byTopic = new HashMap<>();

  TopicRetries(OutboxConfig config, @Nullable Retries general, Map<String, Retries> byTopic) {
    int attempts = config.getRetryMaxAttempts();
    this.retryUnreadable = config.isRetryUnreadablePayloads();
    this.general = (general == null ? configured(config) : general).limitedTo(attempts);
    byTopic.forEach((topic, retries) -> this.byTopic.put(topic, retries.limitedTo(attempts)));
  }

  private static Retries configured(OutboxConfig config) {
    long longest =
        config.isUseExponentialBackoff()
            ? config.getRetryMaxDelayMs()
            : config.getRetryBaseDelayMs();
    return Retries.of(new ExponentialBackoffRetryPolicy(config.getRetryBaseDelayMs(), longest));
  }

  static String checkedTopic(String topic) {
    if (requireNonNull(topic, "topic").isEmpty() || topic.equals("*")) {
      throw new IllegalArgumentException(
          "topic (" + topic + ") must be one topic; retries(…) without a topic is for all others");
    }
    return topic;
  }

  @Override
  public int maxAttempts(String topic) {
    return of(topic).maxAttempts();
  }

  @Override
  public boolean releasesKey(String topic) {
    return of(topic).releasesKey();
  }

  private Retries of(String topic) {
    return byTopic.getOrDefault(topic, general);
  }

  /**
   * What the listener says by its exception goes before the lists of classes, and those before the
   * number of attempts. The age limits everything.
   */
  @Override
  public Outcome outcomeOf(Delivery delivery, Throwable error) {
    if (error instanceof PermanentFailureException) {
      return new Dead("failed for good with " + name(error), Errors.describe(error));
    }
    if (!retryUnreadable && error instanceof UnreadablePayloadException) {
      return gaveUp("never retried, because its payload cannot be read", error);
    }
    Retries retries = of(delivery.eventType());
    int attempts = delivery.attempts() + 1;
    @Nullable Duration asked = error instanceof RetryAfterException after ? after.delay() : null;
    Retries.@Nullable Rule rule = asked == null ? retries.ruleFor(error) : null;
    if (rule != null && !rule.retried()) {
      return gaveUp("never retried after " + rule.type().getName(), error);
    }
    if (rule == null && attempts >= retries.maxAttempts()) {
      return gaveUp("gave up after " + counted(attempts), error);
    }
    Duration delay = asked != null ? asked : delayAfter(attempts, retries, delivery);
    @Nullable Duration maxAge = retries.maxAge();
    if (maxAge != null && ageAfter(delay, delivery).compareTo(maxAge) > 0) {
      return gaveUp(
          "gave up after " + counted(attempts) + ", the next would be past maxAge " + maxAge,
          error);
    }
    return new Retry(delay, Errors.describe(error));
  }

  /** The reason goes first in the stored text, where no cut reaches it. */
  private static Dead gaveUp(String reason, Throwable error) {
    return new Dead(reason + ", last with " + name(error), reason + ": " + Errors.describe(error));
  }

  private static String counted(int attempts) {
    return attempts == 1 ? "1 attempt" : attempts + " attempts";
  }

  private static String name(Throwable error) {
    return error.getClass().getName();
  }

  private static Duration ageAfter(Duration delay, Delivery delivery) {
    Instant since = delivery.createdAt();
    Instant due = delivery.envelope().dueAt();
    if (due != null && due.isAfter(since)) {
      since = due;
    }
    return Duration.between(since, delivery.now()).plus(delay);
  }

  private static Duration delayAfter(int attempts, Retries retries, Delivery delivery) {
    try {
      return Duration.ofMillis(Math.max(0, retries.delays().computeDelayMs(attempts)));
    } catch (RuntimeException e) {
      LOG.log(
          Level.ERROR,
          "the delays of retries failed, waiting "
              + PAUSE_AFTER_POLICY_ERROR
              + " instead "
              + delivery,
          e);
      return PAUSE_AFTER_POLICY_ERROR;
    }
  }
}

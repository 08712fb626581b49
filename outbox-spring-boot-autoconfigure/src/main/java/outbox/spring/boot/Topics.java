package outbox.spring.boot;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.dispatch.Retries;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.spring.boot.OutboxProperties.Retry;
import outbox.spring.boot.OutboxProperties.Topic;

/** How topics are handled and tried again, by properties and by the annotations of listeners. */
final class Topics {
  private static final double JITTER_OF_OUTBOX = 0.5;

  private final Retry general;
  private final Delays ofOutbox;
  private final Delays ofInbox;
  private final Map<String, Topic> settings = new HashMap<>();

  /** What the properties say goes before what the listeners say. */
  Topics(OutboxProperties properties, Map<String, Topic> ofListeners) {
    this.general = properties.retry();
    this.ofOutbox = new Delays(general.baseDelay(), general.maxDelay(), JITTER_OF_OUTBOX);
    this.ofInbox = new Delays(properties.inbox().baseDelay(), properties.inbox().maxDelay(), 0);
    settings.putAll(ofListeners);
    properties
        .topics()
        .forEach(
            (topic, own) ->
                settings.merge(
                    topic,
                    own,
                    (listener, property) -> TopicSettings.overriding(property, listener)));
    if (settings.remove(ListenerTopics.ALL, TopicSettings.NONE)
        || !settings.containsKey(ListenerTopics.ALL)) {
      return;
    }
    throw new OutboxSetupException(
        "outbox.topics.* gives settings to every topic.",
        "Name a topic, or use outbox.retry.… and outbox.dispatcher.max-handling-time.");
  }

  void applyTo(OutboxConfig config) {
    settings.forEach(
        (topic, own) -> {
          Duration time = own.maxHandlingTime();
          if (time != null) {
            checked(topic, () -> config.setMaxHandlingTime(topic, time));
          }
        });
  }

  void applyTo(JdbcOutbox.Builder builder) {
    Retries rules = general();
    if (rules != null) {
      builder.retries(rules);
    }
    forEachRetried(ofOutbox, builder::retries);
  }

  void applyTo(JdbcInbox.Builder builder) {
    builder.retries(explained("outbox.retry", () -> rules(ofGeneral(), ofInbox)));
    forEachRetried(ofInbox, builder::retries);
  }

  /** The rules of all topics without rules of their own; null for those of the configuration. */
  private @Nullable Retries general() {
    if (general.jitter() == null
        && general.maxAge() == null
        && general.never().isEmpty()
        && general.always().isEmpty()) {
      return null;
    }
    return explained("outbox.retry", () -> rules(ofGeneral(), ofOutbox));
  }

  private void forEachRetried(Delays delays, BiConsumer<String, Retries> topics) {
    settings.forEach(
        (topic, own) -> {
          if (retries(own)) {
            topics.accept(topic, checked(topic, () -> rules(own, delays)));
          }
        });
  }

  private static boolean retries(Topic own) {
    Topic rest =
        new Topic(
            own.maxAttempts(),
            own.maxAge(),
            own.baseDelay(),
            own.maxDelay(),
            own.useExponentialBackoff(),
            own.jitter(),
            null,
            own.neverRetry(),
            own.alwaysRetry());
    return !rest.equals(TopicSettings.NONE);
  }

  private Topic ofGeneral() {
    return new Topic(
        general.maxAttempts(),
        general.maxAge(),
        null,
        null,
        general.useExponentialBackoff(),
        general.jitter(),
        null,
        general.never(),
        general.always());
  }

  /** As soon as a topic has a limit of its own, the general ones do not hold for it. */
  private Retries rules(Topic own, Delays delays) {
    boolean limited = own.maxAttempts() != null || own.maxAge() != null;
    Topic all = TopicSettings.overriding(own, ofGeneral());
    Integer attempts = limited ? own.maxAttempts() : Integer.valueOf(general.maxAttempts());
    Duration age = limited ? own.maxAge() : general.maxAge();
    Retries rules =
        delays
            .of(own, Boolean.TRUE.equals(all.useExponentialBackoff()))
            .jitter(all.jitter() == null ? delays.jitter : all.jitter());
    if (attempts != null) {
      rules = rules.maxAttempts(attempts);
    }
    if (age != null) {
      rules = rules.maxAge(age);
    }
    for (Class<? extends Throwable> type : all.neverRetry()) {
      rules = rules.never(type);
    }
    for (Class<? extends Throwable> type : all.alwaysRetry()) {
      rules = rules.always(type);
    }
    return rules;
  }

  /** The delays of topics that have none of their own. */
  private record Delays(Duration base, Duration max, double jitter) {

    /** A topic that sets one of the two must not collide with the general other one. */
    Retries of(Topic own, boolean exponential) {
      Duration longest = own.maxDelay();
      Duration first = own.baseDelay();
      if (first == null) {
        first = longest != null && longest.compareTo(base) < 0 ? longest : base;
      }
      if (longest == null) {
        longest = own.baseDelay() != null && first.compareTo(max) > 0 ? first : max;
      }
      return exponential ? Retries.exponential(first, longest) : Retries.fixed(first);
    }
  }

  private static <T> T checked(String topic, Supplier<T> rules) {
    return explained("outbox.topics." + topic, rules);
  }

  private static <T> T explained(String property, Supplier<T> rules) {
    try {
      return rules.get();
    } catch (IllegalArgumentException e) {
      throw new OutboxSetupException(
          property + " is refused: " + e.getMessage() + ".",
          "Change the properties under " + property + ", or the attributes of the listener.",
          e);
    }
  }
}

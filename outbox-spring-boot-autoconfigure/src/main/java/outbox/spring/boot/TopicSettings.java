package outbox.spring.boot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import outbox.spring.boot.OutboxProperties.Topic;

/** Settings of a topic: how its listeners give them, and what becomes of several. */
final class TopicSettings {
  static final Topic NONE =
      new Topic(null, null, null, null, null, null, null, List.of(), List.of());

  private TopicSettings() {}

  static Topic of(OutboxListener mark, UnaryOperator<String> placeholders) {
    return of(
        placeholders,
        mark.maxAttempts(),
        List.of(mark.maxAge(), mark.baseDelay(), mark.maxDelay(), mark.maxHandlingTime()),
        List.of(mark.neverRetry()),
        List.of(mark.alwaysRetry()));
  }

  static Topic of(InboxListener mark, UnaryOperator<String> placeholders) {
    return of(
        placeholders,
        mark.maxAttempts(),
        List.of(mark.maxAge(), mark.baseDelay(), mark.maxDelay(), mark.maxHandlingTime()),
        List.of(mark.neverRetry()),
        List.of(mark.alwaysRetry()));
  }

  private static Topic of(
      UnaryOperator<String> placeholders,
      int maxAttempts,
      List<String> durations,
      List<Class<? extends Throwable>> never,
      List<Class<? extends Throwable>> always) {
    List<@Nullable Duration> parsed = new ArrayList<>();
    durations.forEach(each -> parsed.add(duration(placeholders.apply(each))));
    return new Topic(
        maxAttempts == 0 ? null : maxAttempts,
        parsed.get(0),
        parsed.get(1),
        parsed.get(2),
        null,
        null,
        parsed.get(3),
        never,
        always);
  }

  private static @Nullable Duration duration(String text) {
    return text.isEmpty() ? null : DurationStyle.detectAndParse(text);
  }

  /** The settings of {@code first}, and where it has none those of {@code second}. */
  static Topic overriding(Topic first, Topic second) {
    return combined(first, second, (one, other) -> one == null ? other : one);
  }

  /**
   * The settings of two listeners of a topic.
   *
   * @throws IllegalArgumentException if they contradict each other
   */
  static Topic together(Topic one, Topic other) {
    return combined(one, other, TopicSettings::agreed);
  }

  private static @Nullable Object agreed(@Nullable Object one, @Nullable Object other) {
    if (one != null && other != null && !one.equals(other)) {
      throw new IllegalArgumentException(
          "another listener of the topic has " + other + " where this one has " + one);
    }
    return one == null ? other : one;
  }

  private static Topic combined(
      Topic one, Topic other, BiFunction<@Nullable Object, @Nullable Object, @Nullable Object> by) {
    return new Topic(
        (Integer) by.apply(one.maxAttempts(), other.maxAttempts()),
        (Duration) by.apply(one.maxAge(), other.maxAge()),
        (Duration) by.apply(one.baseDelay(), other.baseDelay()),
        (Duration) by.apply(one.maxDelay(), other.maxDelay()),
        (Boolean) by.apply(one.useExponentialBackoff(), other.useExponentialBackoff()),
        (Double) by.apply(one.jitter(), other.jitter()),
        (Duration) by.apply(one.maxHandlingTime(), other.maxHandlingTime()),
        union(one.neverRetry(), other.neverRetry(), one.alwaysRetry()),
        union(one.alwaysRetry(), other.alwaysRetry(), one.neverRetry()));
  }

  private static List<Class<? extends Throwable>> union(
      List<Class<? extends Throwable>> own,
      List<Class<? extends Throwable>> others,
      List<Class<? extends Throwable>> opposite) {
    List<Class<? extends Throwable>> all = new ArrayList<>(own);
    others.stream()
        .filter(type -> !all.contains(type) && !opposite.contains(type))
        .forEach(all::add);
    return List.copyOf(all);
  }
}

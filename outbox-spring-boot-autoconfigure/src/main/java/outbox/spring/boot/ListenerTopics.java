package outbox.spring.boot;

import java.lang.annotation.Annotation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import outbox.spring.boot.OutboxProperties.Topic;

/**
 * The settings that listeners give their topics. The engine wants them when it is made, which is
 * before most listeners are: found by the definitions of the beans, none of which is made for it.
 */
final class ListenerTopics {
  static final String ALL = "*";

  private final UnaryOperator<String> placeholders;
  private final Map<String, Topic> settings = new HashMap<>();
  private final Set<Annotation> seen = new HashSet<>();

  private ListenerTopics(UnaryOperator<String> placeholders) {
    this.placeholders = placeholders;
  }

  static ListenerTopics of(ConfigurableListableBeanFactory beans) {
    ListenerTopics topics = new ListenerTopics(text -> resolved(beans, text));
    for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
      OutboxListener mark = beans.findAnnotationOnBean(name, OutboxListener.class, false);
      if (mark != null) {
        topics.add(mark, "Bean " + name);
      }
      Class<?> type = type(beans, name);
      if (type != null && ListenerMarks.isCandidate(type)) {
        ListenerMarks.of(type, OutboxListener.class)
            .forEach((method, each) -> topics.add(each, method));
        ListenerMarks.of(type, InboxListener.class)
            .forEach((method, each) -> topics.add(each, method));
      }
    }
    return topics;
  }

  /** The class as far as it is known without making anything. */
  private static @Nullable Class<?> type(ConfigurableListableBeanFactory beans, String name) {
    Object original =
        beans.containsBeanDefinition(name)
            ? beans
                .getMergedBeanDefinition(name)
                .getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE)
            : null;
    return original instanceof Class<?> type ? type : beans.getType(name, false);
  }

  static String resolved(ConfigurableListableBeanFactory beans, String text) {
    String resolved = beans.resolveEmbeddedValue(text);
    return resolved == null ? text : resolved;
  }

  private void add(OutboxListener mark, Object place) {
    add(mark, mark.value(), place, () -> TopicSettings.of(mark, placeholders));
  }

  private void add(InboxListener mark, Object place) {
    add(mark, mark.value(), place, () -> TopicSettings.of(mark, placeholders));
  }

  private void add(Annotation mark, String value, Object place, Supplier<Topic> given) {
    String topic = placeholders.apply(value);
    try {
      Topic own = given.get();
      if (topic.equals(ALL) && !own.equals(TopicSettings.NONE)) {
        throw new IllegalArgumentException(
            "a listener of every topic has none whose settings these could be");
      }
      settings.merge(topic, own, TopicSettings::together);
      seen.add(mark);
    } catch (IllegalArgumentException e) {
      throw new OutboxSetupException(
          place + " gives settings that topic " + topic + " cannot have: " + e.getMessage() + ".",
          "Change the attributes of the annotation, or set outbox.topics." + topic + ".… instead.",
          e);
    }
  }

  /**
   * Refuses a listener whose settings nothing knew of when the engine was made.
   *
   * @param place who listens, for messages
   */
  void requireSeen(OutboxListener mark, Object place) {
    requireSeen(mark, mark.value(), TopicSettings.of(mark, placeholders), place);
  }

  void requireSeen(InboxListener mark, Object place) {
    requireSeen(mark, mark.value(), TopicSettings.of(mark, placeholders), place);
  }

  private void requireSeen(Annotation mark, String topic, Topic own, Object place) {
    if (!own.equals(TopicSettings.NONE) && !seen.contains(mark)) {
      throw new OutboxSetupException(
          place + " gives settings to its topic, but its class was not known at the start.",
          "Let the @Bean method that makes it return its class, or set outbox.topics."
              + topic
              + ".… instead.");
    }
  }

  Map<String, Topic> settings() {
    return Map.copyOf(settings);
  }
}

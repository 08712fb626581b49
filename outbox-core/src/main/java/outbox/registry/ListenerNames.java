package outbox.registry;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.internal.batch.BatchedListener;
import outbox.internal.handler.HandlerListener;
import outbox.internal.handler.TransactionalListener;
import outbox.internal.text.StorableText;

/**
 * The names of the listeners of one event type: the one that was given, else the name of the class,
 * else the place. A place is counted as "2 of 3", so that names of places are unknown, and their
 * listeners run again, as soon as their number changes.
 */
final class ListenerNames {
  private static final int MAX_LENGTH = 500;

  private ListenerNames() {}

  /** A registration. */
  record Entry(@Nullable String given, EventListener listener) {}

  static String checked(String name) {
    if (requireNonNull(name, "name").isBlank()) {
      throw new IllegalArgumentException("name of a listener must not be blank");
    }
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException("name of a listener must not have control characters");
    }
    return StorableText.atMost("name of a listener", name, MAX_LENGTH);
  }

  /**
   * Names the listeners of an event type.
   *
   * @throws IllegalStateException if two have the same name
   */
  static List<NamedListener> of(String eventType, List<Entry> entries) {
    Map<String, Integer> numbers = new HashMap<>();
    for (Entry entry : entries) {
      if (entry.given() == null) {
        numbers.merge(base(entry.listener()), 1, Integer::sum);
      }
    }
    Map<String, Integer> places = new HashMap<>();
    Set<String> taken = new HashSet<>();
    List<NamedListener> named = new ArrayList<>(entries.size());
    for (Entry entry : entries) {
      String name = entry.given();
      if (name == null) {
        String base = base(entry.listener());
        int number = requireNonNull(numbers.get(base));
        int place = places.merge(base, 1, Integer::sum);
        name = number == 1 ? base : base + " " + place + " of " + number;
      }
      if (!taken.add(name)) {
        throw new IllegalStateException(
            "listener name ("
                + name
                + ") must be unique among the listeners of topic "
                + eventType
                + ", those of all topics included; give each of them a name of its own");
      }
      named.add(new NamedListener(name, entry.listener()));
    }
    return List.copyOf(named);
  }

  /** Classes that the JVM or the compiler numbers have no name that outlives a restart. */
  private static String base(EventListener listener) {
    Class<?> type = registered(listener).getClass();
    boolean unnamed =
        type.isHidden()
            || type.isSynthetic()
            || type.isAnonymousClass()
            || Proxy.isProxyClass(type);
    if (!unnamed) {
      return type.getName();
    }
    return listener instanceof HandlerListener
        ? NamedListener.UNNAMED_HANDLER
        : NamedListener.UNNAMED_LISTENER;
  }

  /** What the application registered. */
  private static Object registered(EventListener listener) {
    if (listener instanceof HandlerListener handler) {
      return handler.named();
    }
    if (listener instanceof TransactionalListener transactional) {
      return transactional.listener();
    }
    return listener instanceof BatchedListener batched ? batched.named() : listener;
  }
}

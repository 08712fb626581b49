package outbox.registry;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.EventType;
import outbox.OutboxHandler;
import outbox.TransactionalEventListener;

/**
 * Listeners and handlers by event type: those of the exact type in the order of their registration,
 * then the wildcard ones. Thread-safe; a registration takes effect for the next event.
 */
public final class DefaultListenerRegistry implements ListenerRegistry {
  private final Map<String, List<EventListener>> byType = new ConcurrentHashMap<>();
  private final List<EventListener> wildcard = new CopyOnWriteArrayList<>();

  /** The answers for types with listeners of their own; forgotten at each registration. */
  private final Map<String, List<EventListener>> combined = new ConcurrentHashMap<>();

  public DefaultListenerRegistry() {}

  public DefaultListenerRegistry register(EventType eventType, EventListener listener) {
    return register(requireNonNull(eventType, "eventType").name(), listener);
  }

  public DefaultListenerRegistry register(String eventType, EventListener listener) {
    requireNonNull(eventType, "eventType");
    requireNonNull(listener, "listener");
    if (eventType.isEmpty()) {
      throw new IllegalArgumentException("eventType must not be empty");
    }
    if (eventType.equals("*")) {
      return registerAll(listener);
    }
    requireOwnTopic(eventType, listener);
    byType.computeIfAbsent(eventType, type -> new CopyOnWriteArrayList<>()).add(listener);
    combined.clear();
    return this;
  }

  /**
   * Registers a handler for its topic, in one order with the listeners of that type.
   *
   * @throws IllegalArgumentException if its topic is null, empty or the wildcard
   */
  public DefaultListenerRegistry register(OutboxHandler handler) {
    @Nullable String topic = requireNonNull(handler, "handler").topic();
    if (topic == null || topic.isEmpty() || topic.equals("*")) {
      throw new IllegalArgumentException(
          "topic ("
              + topic
              + ") of "
              + handler.getClass().getName()
              + " must name one topic; for every message register an EventListener by"
              + " registerAll(…)");
    }
    return register(topic, handler);
  }

  /** Like {@link #register(String, EventListener)}, for a listener written as a lambda of two. */
  public DefaultListenerRegistry registerTransactional(
      String eventType, TransactionalEventListener listener) {
    return register(eventType, listener);
  }

  /** Registers a listener for every event, run after those of the event's own type. */
  public DefaultListenerRegistry registerAll(EventListener listener) {
    requireOwnTopic("*", requireNonNull(listener, "listener"));
    wildcard.add(listener);
    combined.clear();
    return this;
  }

  /** Whether nobody listens to anything. */
  public boolean isEmpty() {
    return byType.isEmpty() && wildcard.isEmpty();
  }

  @Override
  public List<EventListener> listenersFor(String eventType) {
    return byType.containsKey(eventType)
        ? combined.computeIfAbsent(eventType, this::combine)
        : combine(eventType);
  }

  private static void requireOwnTopic(String eventType, EventListener listener) {
    if (listener instanceof OutboxHandler handler && !eventType.equals(handler.topic())) {
      throw new IllegalArgumentException(
          "a handler of topic "
              + handler.topic()
              + " cannot be registered for "
              + eventType
              + "; use register(handler)");
    }
  }

  private List<EventListener> combine(String eventType) {
    List<EventListener> all = new ArrayList<>(byType.getOrDefault(eventType, List.of()));
    all.addAll(wildcard);
    return Collections.unmodifiableList(all);
  }
}

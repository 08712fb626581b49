package outbox.registry;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
  private final Map<String, List<EventListener>> byType = new HashMap<>();
  private final List<EventListener> wildcard = new ArrayList<>();
  private volatile Answers answers = new Answers(Map.of(), List.of());

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
    if (eventType.isBlank()) {
      throw new IllegalArgumentException("eventType must not be blank");
    }
    if (eventType.equals("*")) {
      return registerAll(listener);
    }
    requireOwnTopic(eventType, listener);
    return add(Map.of(eventType, List.of(listener)), List.of());
  }

  /**
   * Registers a handler for its topic, in one order with the listeners of that type.
   *
   * @throws IllegalArgumentException if its topic is null, blank or the wildcard
   */
  public DefaultListenerRegistry register(OutboxHandler handler) {
    @Nullable String topic = requireNonNull(handler, "handler").topic();
    if (topic == null || topic.isBlank() || topic.equals("*")) {
      throw new IllegalArgumentException(
          "topic ("
              + topic
              + ") of "
              + handler.getClass().getName()
              + " must name one topic; for every message give an EventListener to listenerOfAll(…)"
              + " of the builder or registerAll(…) of the registry");
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
    return add(Map.of(), List.of(listener));
  }

  /** Registers all that another one has now; each event meets either all of them or none. */
  public DefaultListenerRegistry registerFrom(DefaultListenerRegistry other) {
    Map<String, List<EventListener>> typed = new HashMap<>();
    List<EventListener> ofAll;
    synchronized (requireNonNull(other, "other")) {
      other.byType.forEach((type, listeners) -> typed.put(type, List.copyOf(listeners)));
      ofAll = List.copyOf(other.wildcard);
    }
    return add(typed, ofAll);
  }

  private synchronized DefaultListenerRegistry add(
      Map<String, List<EventListener>> typed, List<EventListener> ofAll) {
    typed.forEach(
        (type, listeners) ->
            byType.computeIfAbsent(type, key -> new ArrayList<>()).addAll(listeners));
    wildcard.addAll(ofAll);
    Map<String, List<EventListener>> combined = new HashMap<>();
    byType.forEach(
        (type, own) -> combined.put(type, Stream.concat(own.stream(), wildcard.stream()).toList()));
    answers = new Answers(Map.copyOf(combined), List.copyOf(wildcard));
    return this;
  }

  /** Whether nobody listens to anything. */
  public boolean isEmpty() {
    Answers now = answers;
    return now.byType.isEmpty() && now.wildcard.isEmpty();
  }

  @Override
  public List<EventListener> listenersFor(String eventType) {
    Answers now = answers;
    return now.byType.getOrDefault(eventType, now.wildcard);
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

  /** What events meet, replaced as a whole: types with listeners of their own, and the others. */
  private record Answers(Map<String, List<EventListener>> byType, List<EventListener> wildcard) {}
}

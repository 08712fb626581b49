package outbox.registry;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.BatchListener;
import outbox.Batches;
import outbox.EventListener;
import outbox.EventType;
import outbox.OutboxHandler;
import outbox.TransactionalBatchListener;
import outbox.TransactionalEventListener;
import outbox.TransactionalOutboxHandler;
import outbox.internal.batch.BatchedListener;
import outbox.internal.handler.HandlerListener;
import outbox.internal.handler.TransactionalListener;
import outbox.registry.ListenerNames.Entry;

/**
 * Listeners and handlers by event type: those of the exact type in the order of their registration,
 * then the wildcard ones, which the library's own messages (the waits of joins) do not meet.
 * Thread-safe; a registration takes effect for the next event.
 */
public final class DefaultListenerRegistry implements ListenerRegistry {
  /** Left to a process that has joins: to a listener of all they would seem done. */
  private static final String WAITS_OF_JOINS = "join.wait";

  private final Map<String, List<Entry>> byType = new HashMap<>();
  private final List<Entry> wildcard = new ArrayList<>();
  private volatile Answers answers = new Answers(Map.of(), Answer.NONE);

  public DefaultListenerRegistry() {}

  /** Registers a listener of an event type. */
  public DefaultListenerRegistry register(EventType eventType, EventListener listener) {
    return register(requireNonNull(eventType, "eventType").name(), listener);
  }

  /**
   * Registers a listener of an event type. Its name is that of its class, or its place among the
   * listeners of the type if it is a lambda.
   */
  public DefaultListenerRegistry register(String eventType, EventListener listener) {
    return register(eventType, new Entry(null, listener));
  }

  /**
   * Registers a listener of an event type under a name of its own.
   *
   * @param name says in each failed event what became of this listener; unique among the listeners
   *     of the type, and to be kept from release to release
   * @throws IllegalStateException if another listener of the type has this name
   */
  public DefaultListenerRegistry register(String eventType, String name, EventListener listener) {
    return register(eventType, new Entry(ListenerNames.checked(name), listener));
  }

  private DefaultListenerRegistry register(String eventType, Entry entry) {
    requireNonNull(entry.listener(), "listener");
    requireNonNull(eventType, "eventType");
    if (eventType.isEmpty()) {
      throw new IllegalArgumentException("eventType must not be empty");
    }
    if (eventType.isBlank()) {
      throw new IllegalArgumentException("eventType must not be blank");
    }
    return eventType.equals("*")
        ? add(Map.of(), List.of(entry))
        : add(Map.of(eventType, List.of(entry)), List.of());
  }

  /**
   * Registers a handler for its topic, in one order with the listeners of that type.
   *
   * @throws IllegalArgumentException if its topic is null, blank or the wildcard
   */
  public DefaultListenerRegistry register(OutboxHandler handler) {
    return register(topicOf(handler), HandlerListener.of(handler));
  }

  /**
   * Registers a transactional handler for its topic, in one order with the listeners of that type.
   *
   * @throws IllegalArgumentException if its topic is null, blank or the wildcard
   */
  public DefaultListenerRegistry register(TransactionalOutboxHandler handler) {
    return register(topicOf(handler), HandlerListener.of(handler));
  }

  /**
   * Registers a handler for its topic under a name of its own.
   *
   * @throws IllegalArgumentException if its topic is null, blank or the wildcard
   * @throws IllegalStateException if another listener of the topic has this name
   */
  public DefaultListenerRegistry registerHandler(String name, OutboxHandler handler) {
    return register(topicOf(handler), name, HandlerListener.of(handler));
  }

  /**
   * Registers a transactional handler for its topic under a name of its own.
   *
   * @throws IllegalArgumentException if its topic is null, blank or the wildcard
   * @throws IllegalStateException if another listener of the topic has this name
   */
  public DefaultListenerRegistry registerHandler(String name, TransactionalOutboxHandler handler) {
    return register(topicOf(handler), name, HandlerListener.of(handler));
  }

  private static String topicOf(OutboxHandler handler) {
    return checkedTopic(requireNonNull(handler, "handler").topic(), handler);
  }

  private static String topicOf(TransactionalOutboxHandler handler) {
    return checkedTopic(requireNonNull(handler, "handler").topic(), handler);
  }

  private static String checkedTopic(@Nullable String topic, Object handler) {
    if (topic == null || topic.isBlank() || topic.equals("*")) {
      throw new IllegalArgumentException(
          "topic ("
              + topic
              + ") of "
              + handler.getClass().getName()
              + " must name one topic; for every message give an EventListener to listenerOfAll(…)"
              + " of the builder or registerAll(…) of the registry");
    }
    return topic;
  }

  /** Registers a listener whose writes commit together with the completion of the event. */
  public DefaultListenerRegistry registerTransactional(
      String eventType, TransactionalEventListener listener) {
    return register(eventType, new TransactionalListener(listener));
  }

  /** Registers a transactional listener under a name of its own, unique for the event type. */
  public DefaultListenerRegistry registerTransactional(
      String eventType, String name, TransactionalEventListener listener) {
    return register(eventType, name, new TransactionalListener(listener));
  }

  /** Registers a listener for every event, run after those of the event's own type. */
  public DefaultListenerRegistry registerAll(EventListener listener) {
    return register("*", listener);
  }

  /** Registers a listener for every event under a name of its own. */
  public DefaultListenerRegistry registerAll(String name, EventListener listener) {
    return register("*", name, listener);
  }

  /** Registers a listener that gets the events of a type in batches. */
  public DefaultListenerRegistry registerBatch(
      String eventType, Batches batches, BatchListener listener) {
    return register(eventType, BatchedListener.of(eventType, batches, listener));
  }

  /** Registers a listener that gets the events of a type in batches, under a name of its own. */
  public DefaultListenerRegistry registerBatch(
      String eventType, String name, Batches batches, BatchListener listener) {
    return register(eventType, name, BatchedListener.of(eventType, batches, listener));
  }

  /** Registers a batch listener whose writes commit with the completion of all its events. */
  public DefaultListenerRegistry registerTransactionalBatch(
      String eventType, Batches batches, TransactionalBatchListener listener) {
    return register(eventType, BatchedListener.of(eventType, batches, listener));
  }

  /** Registers a transactional batch listener under a name of its own. */
  public DefaultListenerRegistry registerTransactionalBatch(
      String eventType, String name, Batches batches, TransactionalBatchListener listener) {
    return register(eventType, name, BatchedListener.of(eventType, batches, listener));
  }

  /**
   * Registers a listener that gets all events in batches, run after those of the event's own type.
   * A batch may mix topics.
   */
  public DefaultListenerRegistry registerBatchOfAll(Batches batches, BatchListener listener) {
    return registerBatch("*", batches, listener);
  }

  /** Registers a batch listener of all events under a name of its own. */
  public DefaultListenerRegistry registerBatchOfAll(
      String name, Batches batches, BatchListener listener) {
    return registerBatch("*", name, batches, listener);
  }

  /** Registers all that another one has now; each event meets either all of them or none. */
  public DefaultListenerRegistry registerFrom(DefaultListenerRegistry other) {
    Map<String, List<Entry>> typed = new HashMap<>();
    List<Entry> ofAll;
    synchronized (requireNonNull(other, "other")) {
      other.byType.forEach((type, entries) -> typed.put(type, List.copyOf(entries)));
      ofAll = List.copyOf(other.wildcard);
    }
    return add(typed, ofAll);
  }

  /** Changes nothing if two listeners of a type would have the same name. */
  private synchronized DefaultListenerRegistry add(
      Map<String, List<Entry>> typed, List<Entry> ofAll) {
    List<Entry> all = concat(wildcard, ofAll);
    Map<String, List<Entry>> own = new HashMap<>(byType);
    typed.forEach((type, entries) -> own.merge(type, entries, DefaultListenerRegistry::concat));
    Map<String, Answer> combined = new HashMap<>();
    own.forEach(
        (type, entries) -> {
          List<Entry> both = isInternal(entries) ? entries : concat(entries, all);
          combined.put(type, Answer.of(type, both));
        });
    if (!all.isEmpty()) {
      combined.putIfAbsent(WAITS_OF_JOINS, Answer.NONE);
    }
    Answer ofOthers = Answer.of("*", all);
    byType.putAll(own);
    wildcard.addAll(ofAll);
    answers = new Answers(Map.copyOf(combined), ofOthers);
    return this;
  }

  private static boolean isInternal(List<Entry> entries) {
    return entries.stream()
        .anyMatch(
            each -> each.listener() instanceof HandlerListener handler && handler.isInternal());
  }

  private static List<Entry> concat(List<Entry> first, List<Entry> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  /** Whether no listener is registered. */
  public boolean isEmpty() {
    Answers now = answers;
    return now.byType.isEmpty() && now.others.listeners.isEmpty();
  }

  @Override
  public List<EventListener> listenersFor(String eventType) {
    return answerFor(eventType).listeners;
  }

  @Override
  public List<NamedListener> namedListenersFor(String eventType) {
    return answerFor(eventType).named;
  }

  private Answer answerFor(String eventType) {
    Answers now = answers;
    return now.byType.getOrDefault(eventType, now.others);
  }

  /** Topics with their numbers of listeners, such as {@code [OrderPlaced: 2, *: 1]}. */
  @Override
  public synchronized String toString() {
    Map<String, Integer> counts = new TreeMap<>();
    byType.forEach((type, entries) -> counts.put(type, entries.size()));
    if (!wildcard.isEmpty()) {
      counts.put("*", wildcard.size());
    }
    return counts.entrySet().stream()
        .map(each -> each.getKey() + ": " + each.getValue())
        .collect(Collectors.joining(", ", "[", "]"));
  }

  /** What events of one type meet. */
  private record Answer(List<EventListener> listeners, List<NamedListener> named) {
    static final Answer NONE = new Answer(List.of(), List.of());

    static Answer of(String eventType, List<Entry> entries) {
      return new Answer(
          entries.stream().map(Entry::listener).toList(), ListenerNames.of(eventType, entries));
    }
  }

  /** What events meet, replaced as a whole: types with listeners of their own, and the others. */
  private record Answers(Map<String, Answer> byType, Answer others) {}
}

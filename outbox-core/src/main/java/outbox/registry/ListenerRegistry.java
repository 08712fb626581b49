package outbox.registry;

import java.util.List;
import outbox.EventListener;

/** Knows the listeners of an event type. */
@FunctionalInterface
public interface ListenerRegistry {

  /** The listeners to run, in order; empty if there are none. */
  List<EventListener> listenersFor(String eventType);

  /**
   * As {@link #listenersFor}, each with its name. A failed event keeps by these names which of its
   * listeners are done. By default a listener is named after its class, or after its place in the
   * list if it is a lambda.
   */
  default List<NamedListener> namedListenersFor(String eventType) {
    return ListenerNames.of(
        eventType,
        listenersFor(eventType).stream()
            .map(listener -> new ListenerNames.Entry(null, listener))
            .toList());
  }
}

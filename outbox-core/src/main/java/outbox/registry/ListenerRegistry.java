package outbox.registry;

import java.util.List;
import outbox.EventListener;

/** Knows the listeners of an event type. */
@FunctionalInterface
public interface ListenerRegistry {

  /** The listeners to run, in order; empty if there are none. */
  List<EventListener> listenersFor(String eventType);
}

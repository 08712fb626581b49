package outbox.registry;

import static java.util.Objects.requireNonNull;

import outbox.EventListener;

/**
 * A listener and the name by which an event remembers what became of it.
 *
 * @param name unique among the listeners of an event, and the same after a restart
 */
public record NamedListener(String name, EventListener listener) {
  /** What the only listener of an event is called if nothing names it: {@value}. */
  public static final String UNNAMED_LISTENER = "listener";

  /** What the only handler of an event is called if nothing names it: {@value}. */
  public static final String UNNAMED_HANDLER = "handler";

  public NamedListener {
    requireNonNull(name, "name");
    requireNonNull(listener, "listener");
  }

  /** Whether the name says nothing: it is that of a lambda which is alone. */
  public boolean isUnnamed() {
    return name.equals(UNNAMED_LISTENER) || name.equals(UNNAMED_HANDLER);
  }
}

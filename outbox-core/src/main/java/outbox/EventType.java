package outbox;

/**
 * The type of an event, and so the topic its listeners subscribe to. Enums implement it for free.
 */
public interface EventType {
  /** Returns the name of the type, which is the topic of its events. */
  String name();
}

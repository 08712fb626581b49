package outbox;

/**
 * The type of an event, and so the topic its listeners subscribe to. Enums implement it for free.
 */
public interface EventType {
  String name();
}

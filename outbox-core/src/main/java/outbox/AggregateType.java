package outbox;

/** The kind of business object that an event is about. Enums implement it for free. */
public interface AggregateType {
  String name();
}

package outbox;

/** The kind of business object that an event is about. Enums implement it for free. */
public interface AggregateType {
  /** Returns the name that is stored as the type of the aggregate. */
  String name();
}

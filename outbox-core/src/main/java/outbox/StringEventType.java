package outbox;

import java.util.Objects;

/** An event type known only at run time. */
public record StringEventType(String name) implements EventType {

  public StringEventType {
    Objects.requireNonNull(name, "name");
    if (name.isEmpty()) {
      throw new IllegalArgumentException("name must not be empty");
    }
    if (name.isBlank()) {
      throw new IllegalArgumentException("name must not be blank");
    }
  }

  /** Creates a type of this name. */
  public static StringEventType of(String name) {
    return new StringEventType(name);
  }
}

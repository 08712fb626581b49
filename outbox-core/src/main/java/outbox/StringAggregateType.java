package outbox;

import java.util.Objects;

/** An aggregate type known only at run time. */
public record StringAggregateType(String name) implements AggregateType {

  public StringAggregateType {
    Objects.requireNonNull(name, "name");
    if (name.isEmpty()) {
      throw new IllegalArgumentException("name must not be empty");
    }
  }

  /** Creates a type of this name. */
  public static StringAggregateType of(String name) {
    return new StringAggregateType(name);
  }
}

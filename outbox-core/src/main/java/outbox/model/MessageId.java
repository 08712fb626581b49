package outbox.model;

import static java.util.Objects.requireNonNull;

/**
 * Identifies a message: as an event, as a work item and as a member of a join. One identity, so one
 * type.
 */
public record MessageId(String value) implements Comparable<MessageId> {
  private static final int MAX_LENGTH = 36;

  public MessageId {
    requireNonNull(value, "value");
    if (value.isEmpty() || value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "message id (" + value.length() + " characters) must have 1 to " + MAX_LENGTH);
    }
  }

  @Override
  public int compareTo(MessageId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}

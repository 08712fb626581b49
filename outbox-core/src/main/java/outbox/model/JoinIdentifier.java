package outbox.model;

import static java.util.Objects.requireNonNull;

import outbox.internal.text.Ulid;

/** Identifies a join: a group of messages that are waited for together. */
public record JoinIdentifier(String value) implements Comparable<JoinIdentifier> {
  private static final int MAX_LENGTH = 36;

  public JoinIdentifier {
    requireNonNull(value, "value");
    if (value.isEmpty() || value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "join id (" + value.length() + " characters) must have 1 to " + MAX_LENGTH);
    }
  }

  /** An identifier that nothing else has. */
  public static JoinIdentifier next() {
    return new JoinIdentifier(Ulid.next());
  }

  @Override
  public int compareTo(JoinIdentifier other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}

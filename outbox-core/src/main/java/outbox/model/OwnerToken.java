package outbox.model;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import outbox.internal.text.Ulid;

/**
 * Says whose lease it is. A worker that claims brings a token and shows it again with every
 * transition; a token should be used by one worker only, and never again after a restart.
 */
public record OwnerToken(String value) {
  private static final int MAX_LENGTH = 64;

  /** The value of an identifier that was never set. */
  private static final String ZERO = new UUID(0, 0).toString();

  public OwnerToken {
    requireNonNull(value, "value");
    if (value.isBlank() || value.equals(ZERO)) {
      throw new IllegalArgumentException(
          "owner token ("
              + value
              + ") must be neither blank nor the zero UUID; use OwnerToken.random()");
    }
    if (value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "owner token (" + value.length() + " characters) must have 1 to " + MAX_LENGTH);
    }
  }

  /** A token that is unique. */
  public static OwnerToken random() {
    return new OwnerToken(Ulid.next());
  }

  @Override
  public String toString() {
    return value;
  }
}

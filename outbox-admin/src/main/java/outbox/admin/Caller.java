package outbox.admin;

import static java.util.Objects.requireNonNull;

import outbox.internal.text.StorableText;

/**
 * Who calls, and what they may do.
 *
 * @param name kept as the trace of what they did; 1 to {@value #MAX_NAME} characters
 */
public record Caller(String name, Role role) {
  /** How long a name may be: {@value}. */
  public static final int MAX_NAME = 64;

  public Caller {
    requireNonNull(role, "role");
    if (requireNonNull(name, "name").isBlank()) {
      throw new IllegalArgumentException("name must not be blank: it says who did something");
    }
    StorableText.atMost("name", name, MAX_NAME);
  }

  boolean may(Role needed) {
    return role.includes(needed);
  }
}

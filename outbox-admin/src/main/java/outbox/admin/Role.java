package outbox.admin;

/** What a caller may do. */
public enum Role {
  /** Look at everything, payloads apart, which are an option of their own. */
  READ,
  /** Look, and act: replay, discard, defer, release, cancel. */
  ADMIN;

  boolean includes(Role needed) {
    return compareTo(needed) >= 0;
  }
}

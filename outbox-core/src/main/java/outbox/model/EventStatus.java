package outbox.model;

/**
 * The state of a stored event. Being worked on is no state: it is a lease on an event that is NEW
 * or RETRY. The codes 4 and 5 are states of inbox messages only.
 */
public enum EventStatus {
  NEW(0),
  DONE(1),
  RETRY(2),
  DEAD(3),
  /** Behind an earlier event of its ordering key; no claim finds it. */
  WAITING(6);

  private final int code;

  EventStatus(int code) {
    this.code = code;
  }

  /** The number in the status column. */
  public int code() {
    return code;
  }

  /** Whether the event may still be handled. */
  public boolean isLive() {
    return isClaimable() || this == WAITING;
  }

  /** Whether a claim may find the event. */
  public boolean isClaimable() {
    return this == NEW || this == RETRY;
  }

  /** Returns the status that the table stores by this number. */
  public static EventStatus ofCode(int code) {
    return switch (code) {
      case 0 -> NEW;
      case 1 -> DONE;
      case 2 -> RETRY;
      case 3 -> DEAD;
      case 6 -> WAITING;
      default ->
          throw new IllegalArgumentException("status (" + code + ") must be 0, 1, 2, 3 or 6");
    };
  }
}

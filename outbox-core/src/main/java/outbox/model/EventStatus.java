package outbox.model;

/** The state of a stored event. Being worked on is no state: it is a lease on a live event. */
public enum EventStatus {
  NEW(0),
  DONE(1),
  RETRY(2),
  DEAD(3);

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
    return this == NEW || this == RETRY;
  }

  public static EventStatus ofCode(int code) {
    return switch (code) {
      case 0 -> NEW;
      case 1 -> DONE;
      case 2 -> RETRY;
      case 3 -> DEAD;
      default -> throw new IllegalArgumentException("status (" + code + ") must be 0, 1, 2 or 3");
    };
  }
}

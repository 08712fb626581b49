package outbox.model;

/** Where a step, the membership of one message in one join, stands. The first end is final. */
public enum StepStatus {
  PENDING(0),
  COMPLETED(1),
  FAILED(2);

  private final int code;

  StepStatus(int code) {
    this.code = code;
  }

  /** The number in the status column. */
  public int code() {
    return code;
  }

  /** Returns the status that the table stores by this number. */
  public static StepStatus ofCode(int code) {
    return switch (code) {
      case 0 -> PENDING;
      case 1 -> COMPLETED;
      case 2 -> FAILED;
      default -> throw new IllegalArgumentException("step status (" + code + ") must be 0, 1 or 2");
    };
  }

  /** What the state of its message makes of a step. */
  public static StepStatus of(EventStatus message) {
    return switch (message) {
      case NEW, RETRY, WAITING -> PENDING;
      case DONE -> COMPLETED;
      case DEAD -> FAILED;
    };
  }
}

package outbox.model;

/** Where a join stands. All but {@link #PENDING} are final. */
public enum JoinStatus {
  /** Steps are missing. */
  PENDING(0),
  /** Every expected step completed. */
  COMPLETED(1),
  /** Every expected step ended and at least one failed, or the deadline passed. */
  FAILED(2),
  /** Given up by a caller. */
  CANCELLED(3);

  private final int code;

  JoinStatus(int code) {
    this.code = code;
  }

  /** The number in the status column. */
  public int code() {
    return code;
  }

  /** Returns whether the join has ended. */
  public boolean isFinal() {
    return this != PENDING;
  }

  /** Returns the status that the table stores by this number. */
  public static JoinStatus ofCode(int code) {
    return switch (code) {
      case 0 -> PENDING;
      case 1 -> COMPLETED;
      case 2 -> FAILED;
      case 3 -> CANCELLED;
      default ->
          throw new IllegalArgumentException("join status (" + code + ") must be 0, 1, 2 or 3");
    };
  }
}

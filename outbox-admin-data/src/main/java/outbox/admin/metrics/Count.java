package outbox.admin.metrics;

/**
 * A number of rows, which may have been counted only up to a limit.
 *
 * @param atLeast there may be more: the counting stopped here, or the number is an estimate
 */
public record Count(long value, boolean atLeast) {

  public Count {
    if (value < 0) {
      throw new IllegalArgumentException("value (" + value + ") must not be negative");
    }
  }

  /** A number that was counted to its end. */
  public static Count exactly(long value) {
    return new Count(value, false);
  }

  /** The number, with a plus sign if there may be more; "0 or more" would tell people nothing. */
  @Override
  public String toString() {
    return value + (atLeast && value > 0 ? "+" : "");
  }
}

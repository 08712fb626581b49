package outbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/** Thrown by a handler or listener: not now. The message comes again later; nothing is counted. */
public class DeferException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Duration delay;

  /**
   * @param delay until the message may be claimed again, not negative; cut to a year
   */
  public DeferException(Duration delay) {
    super("deferred for " + requireNonNull(delay, "delay"), null, false, false);
    if (delay.isNegative()) {
      throw new IllegalArgumentException("delay (" + delay + ") must not be negative");
    }
    this.delay = delay;
  }

  /** Returns how long to wait before the next delivery. */
  public Duration delay() {
    return delay;
  }
}

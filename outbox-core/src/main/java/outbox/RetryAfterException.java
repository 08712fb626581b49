package outbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler or listener: failed, and the system that refused has said when to come again,
 * as HTTP does by {@code Retry-After}. Counts an attempt like any failure, and the limits of the
 * topic's {@link outbox.dispatch.Retries} hold; only the delay is this one. {@link DeferException}
 * counts nothing.
 */
public class RetryAfterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Duration delay;

  /**
   * @param delay until the next attempt, not negative; cut to a year
   */
  public RetryAfterException(Duration delay, String message) {
    this(delay, message, null);
  }

  /**
   * @param delay until the next attempt, not negative; cut to a year
   */
  public RetryAfterException(Duration delay, String message, @Nullable Throwable cause) {
    super(message, cause);
    if (requireNonNull(delay, "delay").isNegative()) {
      throw new IllegalArgumentException("delay (" + delay + ") must not be negative");
    }
    this.delay = delay;
  }

  /** Returns how long to wait before the next attempt. */
  public Duration delay() {
    return delay;
  }
}

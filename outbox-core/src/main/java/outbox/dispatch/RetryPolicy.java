package outbox.dispatch;

/** How long to wait before the next attempt. Thread-safe. */
@FunctionalInterface
public interface RetryPolicy {

  /**
   * The delay after a failure.
   *
   * @param attempts failed deliveries so far, at least 1
   * @return milliseconds until the next one
   */
  long computeDelayMs(int attempts);
}

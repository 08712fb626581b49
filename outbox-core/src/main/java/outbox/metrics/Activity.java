package outbox.metrics;

import java.time.Duration;

/**
 * What was delivered within a window of time.
 *
 * @param window how long; zero if nothing has been observed yet
 * @param processed deliveries that succeeded
 * @param failed deliveries that did not
 */
public record Activity(Duration window, long processed, long failed) {

  /** Nothing observed. */
  public static final Activity NONE = new Activity(Duration.ZERO, 0, 0);

  /** Successful deliveries per second; 0 without a window. */
  public double throughputPerSecond() {
    return window.isZero() ? 0 : processed / (window.toNanos() / 1e9);
  }

  /** Failed deliveries per second; 0 without a window. */
  public double failuresPerSecond() {
    return window.isZero() ? 0 : failed / (window.toNanos() / 1e9);
  }

  /** The share of deliveries that failed, from 0 to 1; 0 if there were none. */
  public double failureRatio() {
    long all = processed + failed;
    return all == 0 ? 0 : (double) failed / all;
  }
}

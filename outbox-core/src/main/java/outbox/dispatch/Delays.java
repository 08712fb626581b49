package outbox.dispatch;

import java.util.concurrent.ThreadLocalRandom;

/** The arithmetic of delays in milliseconds; nothing of it overflows. */
final class Delays {
  private Delays() {}

  /** Twice the first delay after each attempt but the first, up to the longest one. */
  static long doubled(long first, long longest, int attempts) {
    int doublings = Math.max(0, attempts - 1);
    return doublings >= Long.numberOfLeadingZeros(first) - 1
        ? longest
        : Math.min(longest, first << doublings);
  }

  /** Times a random factor from 1 - part to 1 + part. */
  static long scattered(long delay, double part) {
    return part == 0
        ? delay
        : Math.round(delay * ThreadLocalRandom.current().nextDouble(1 - part, 1 + part));
  }
}

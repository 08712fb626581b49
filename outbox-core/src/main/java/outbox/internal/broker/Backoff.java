package outbox.internal.broker;

import java.time.Duration;

/** Delays that double, from a tenth of a second to five seconds. Used by one thread. */
public final class Backoff {
  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LAST = Duration.ofSeconds(5);

  private Duration next = FIRST;

  public Duration next() {
    Duration now = next;
    next = now.multipliedBy(2).compareTo(LAST) < 0 ? now.multipliedBy(2) : LAST;
    return now;
  }

  public void reset() {
    next = FIRST;
  }
}

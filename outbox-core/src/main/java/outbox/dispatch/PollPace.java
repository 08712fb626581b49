package outbox.dispatch;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next look into a database that was found idle: ever longer, up to a
 * limit, a little less at random, so that many databases are not looked into at the same moment.
 * Guarded by the roster, which runs one claim of a station at a time.
 */
final class PollPace {
  private static final Duration SHORTEST = Duration.ofMillis(500);
  private static final double LEAST_PART = 0.8;

  private final Duration longest;
  private final Duration shortest;
  private Duration pause;

  /** Written by whoever expects something, read by the claim. */
  private volatile boolean fromTheStart;

  PollPace(Duration longest) {
    this.longest = longest;
    this.shortest = longest.compareTo(SHORTEST) < 0 ? longest : SHORTEST;
    this.pause = shortest;
  }

  /** Begins anew: something is expected soon. */
  void expect() {
    fromTheStart = true;
  }

  Duration next(boolean foundSomething) {
    if (foundSomething || fromTheStart) {
      fromTheStart = false;
      pause = shortest;
    } else {
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(longest) < 0 ? doubled : longest;
    }
    double part = ThreadLocalRandom.current().nextDouble(LEAST_PART, 1);
    return Duration.ofNanos((long) (pause.toNanos() * part));
  }
}

package outbox.dispatch;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How long to wait before the next look into a database: ever longer while nothing turns up, up to
 * a limit, a little less at random, so that many databases are not looked into at the same moment.
 * Shorter again only after a find that nobody had told of: who tells of each message needs no
 * looks. Guarded by the roster, which runs one claim of a station at a time.
 */
final class PollPace {
  private static final Duration SHORTEST = Duration.ofMillis(500);
  private static final double LEAST_PART = 0.85;
  private static final double LARGEST_PART = 0.95;

  private final Duration longest;
  private final Duration shortest;
  private final AtomicBoolean asked = new AtomicBoolean();
  private Duration pause;
  private boolean answering;
  private boolean surprised = true;

  /** Written by whoever expects something, read by the claim. */
  private volatile boolean fromTheStart;

  PollPace(Duration longest) {
    this.longest = longest;
    this.shortest = longest.compareTo(SHORTEST) < 0 ? longest : SHORTEST;
    this.pause = shortest;
  }

  /** Somebody tells of something to be found. */
  void ask() {
    asked.set(true);
  }

  /** Begins anew: something is expected soon. */
  void expect() {
    fromTheStart = true;
  }

  /** Whether the look that begins will probably find something. */
  boolean isHopeful() {
    answering = asked.getAndSet(false);
    return answering || surprised || fromTheStart;
  }

  Duration next(boolean foundSomething) {
    surprised = foundSomething && !answering;
    if (surprised || fromTheStart) {
      fromTheStart = false;
      pause = shortest;
    } else if (!foundSomething) {
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(longest) < 0 ? doubled : longest;
    }
    double part = ThreadLocalRandom.current().nextDouble(LEAST_PART, LARGEST_PART);
    return Duration.ofNanos((long) (pause.toNanos() * part));
  }
}

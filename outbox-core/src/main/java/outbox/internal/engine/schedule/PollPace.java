package outbox.internal.engine.schedule;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next look into a database: ever longer while nothing turns up, up to
 * a limit, a little less at random, so that many databases are not looked into at the same moment.
 * Shorter again only after a find that was not announced: a producer that announces needs no looks.
 * Thread-safe.
 */
public final class PollPace {
  private static final Duration SHORTEST = Duration.ofMillis(500);
  private static final double LEAST_PART = 0.85;
  private static final double LARGEST_PART = 0.95;

  private final Duration longest;
  private final Duration shortest;
  private Duration pause;
  private boolean asked;
  private boolean answering;
  private boolean fromTheStart;

  public PollPace(Duration longest) {
    this.longest = longest;
    this.shortest = longest.compareTo(SHORTEST) < 0 ? longest : SHORTEST;
    this.pause = shortest;
  }

  /** Notes that a message to be found was announced. */
  public synchronized void ask() {
    asked = true;
  }

  /** Starts again from the shortest pause: something is expected soon. */
  public synchronized void expect() {
    fromTheStart = true;
  }

  /** A claim begins, and sees what was told of until now. */
  public synchronized void begin() {
    answering = asked;
    asked = false;
  }

  public synchronized Duration next(boolean foundSomething) {
    boolean surprised = foundSomething && !answering;
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

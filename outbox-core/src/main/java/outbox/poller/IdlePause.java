package outbox.poller;

import java.time.Duration;

/**
 * How long the poller waits between two looks: short after a find, then twice as long each time, up
 * to the interval. Used by one thread.
 */
final class IdlePause {
  private static final Duration SHORTEST = Duration.ofMillis(500);

  private final Duration shortest;
  private final Duration longest;
  private Duration pause;

  IdlePause(Duration interval) {
    this.shortest = interval.compareTo(SHORTEST) < 0 ? interval : SHORTEST;
    this.longest = interval;
    this.pause = shortest;
  }

  /** After a look that found something, or before something that is expected soon. */
  Duration shortest() {
    pause = shortest;
    return pause;
  }

  /** After a look that found nothing. */
  Duration longer() {
    Duration doubled = pause.multipliedBy(2);
    pause = doubled.compareTo(longest) < 0 ? doubled : longest;
    return pause;
  }
}

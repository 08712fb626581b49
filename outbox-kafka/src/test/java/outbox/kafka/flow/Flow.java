package outbox.kafka.flow;

import java.time.Duration;

/** What the services have in common. */
final class Flow {
  /** Short, so that what a killed process had in hand does not wait for long. */
  static final Duration LEASE = Duration.ofSeconds(3);

  static final Duration PAUSE = Duration.ofMillis(300);

  private Flow() {}

  /** The trace of an order, as a W3C header. */
  static String trace(int order) {
    return String.format("00-%032x-00000000000000aa-01", order);
  }
}

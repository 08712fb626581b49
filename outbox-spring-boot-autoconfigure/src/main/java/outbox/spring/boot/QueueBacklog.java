package outbox.spring.boot;

import java.util.OptionalLong;

/** Knows how many messages of a queue are due, where there are gauges. */
@FunctionalInterface
interface QueueBacklog {

  /** Returns the last count; empty if there is none, or an old one only. */
  OptionalLong of(String queue);
}

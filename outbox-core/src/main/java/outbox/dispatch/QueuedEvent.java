package outbox.dispatch;

import static java.util.Objects.requireNonNull;

import outbox.EventEnvelope;

/**
 * An event on its way to a worker. Immutable.
 *
 * <p>It carries no lease: the worker claims the event by its id before any listener runs.
 */
public class QueuedEvent {
  private final EventEnvelope envelope;
  private final Source source;
  private final int attempts;

  /** Where an event comes from. */
  public enum Source {
    /** From memory, right after the commit. */
    HOT,
    /** From the database, by a poller. */
    COLD
  }

  public QueuedEvent(EventEnvelope envelope, Source source, int attempts) {
    this.envelope = requireNonNull(envelope, "envelope");
    this.source = requireNonNull(source, "source");
    if (attempts < 0) {
      throw new IllegalArgumentException("attempts (" + attempts + ") must not be negative");
    }
    this.attempts = attempts;
  }

  /** Returns the event. */
  public EventEnvelope envelope() {
    return envelope;
  }

  /** Returns which lane the event is for. */
  public Source source() {
    return source;
  }

  /** Failed deliveries so far. */
  public int attempts() {
    return attempts;
  }
}

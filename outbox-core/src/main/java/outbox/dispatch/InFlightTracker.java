package outbox.dispatch;

/**
 * Remembers which events this process is working on, so that none runs twice at once. Thread-safe.
 */
public interface InFlightTracker {

  /** Returns false if the event is in flight already. */
  boolean tryAcquire(String eventId);

  /** Removes an event from those in flight. */
  void release(String eventId);
}

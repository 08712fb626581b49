package outbox.internal.broker;

import java.util.List;
import outbox.EventEnvelope;

/** Hands events to a broker and waits for its confirmations. Thread-safe. */
@FunctionalInterface
public interface Transport {

  /**
   * Sends all events, then waits. Never throws because of an event or of the broker. If the thread
   * is interrupted, what is not confirmed counts as unavailable and the interrupt stays.
   *
   * @return what became of each event, in their order
   */
  List<Forwarded> send(List<EventEnvelope> events);
}

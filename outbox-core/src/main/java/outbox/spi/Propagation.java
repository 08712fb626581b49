package outbox.spi;

import java.util.Map;
import java.util.concurrent.Callable;
import outbox.EventEnvelope;

/**
 * What goes with an event from its publisher to its listeners, in its headers: a trace, a tenant, a
 * logging context. Thread-safe.
 */
public interface Propagation {
  Propagation NONE = new Propagation() {};

  /**
   * Headers for an event of the topic that this thread is about to store, be it published, enqueued
   * or received by an inbox. Those that the event has already win. What this throws reaches the
   * caller.
   */
  default Map<String, String> headers(String topic) {
    return Map.of();
  }

  /**
   * Calls a listener of an event with what the event's headers say restored; called by a worker,
   * once for each listener that runs. What the listener throws must reach the caller.
   */
  default <T> T around(EventEnvelope event, Callable<T> listener) throws Exception {
    return listener.call();
  }
}

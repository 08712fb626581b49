package outbox.spi;

import outbox.BatchListener;
import outbox.EventListener;

/**
 * Sends events to a broker: what a module for a broker implements. An event is done only when the
 * broker has confirmed it. Register it as a batch listener: the events of a batch share one wait;
 * as a listener each event waits alone. Thread-safe; closed after the engine that uses it.
 */
public interface Forwarder extends EventListener, BatchListener, AutoCloseable {

  /** Gives up connections and threads. Closing twice is harmless. */
  @Override
  void close();
}

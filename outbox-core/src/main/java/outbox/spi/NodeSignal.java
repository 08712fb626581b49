package outbox.spi;

/**
 * Wakes the other nodes when there is something to claim. A hint, no more: a signal may be lost or
 * come for nothing, and every node looks by itself now and then. Thread-safe.
 */
public interface NodeSignal extends AutoCloseable {

  /** Starts calling {@code onSignal} for the signals of other nodes; it must be quick. */
  void listen(Runnable onSignal);

  /** Asks for a signal to be sent soon. Never blocks, never throws; many calls become one. */
  void send();

  /** Stops listening and sending. May be called more than once. */
  @Override
  void close();
}

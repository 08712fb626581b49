package outbox.spi;

/**
 * Wakes the pollers of other nodes on the same database, sooner than they would look by themselves.
 */
public interface NodeSignal extends AutoCloseable {

  /**
   * Calls back, from a thread of its own, when another node has sent a signal or one may be lost.
   */
  void listen(Runnable onSignal);

  /** Asks for a signal soon. Never blocks, never throws; many calls become one signal. */
  void send();

  @Override
  void close();
}

package outbox.internal.engine.lanes;

/** Keeps workers from taking more events while too many outcomes are unstored. */
@FunctionalInterface
public interface Backpressure {
  /** For the workers of many stores: there each store stops claiming by itself. */
  Backpressure NONE = () -> {};

  /** Waits while too many outcomes are unstored. */
  void awaitRoom() throws InterruptedException;
}

package outbox.dispatch;

/** Keeps workers from taking more events while too many outcomes are unstored. */
@FunctionalInterface
interface Backpressure {
  /** For crews of many stores: there each store stops claiming by itself. */
  Backpressure NONE = () -> {};

  /** Waits while too many outcomes are unstored. */
  void awaitRoom() throws InterruptedException;
}

package outbox.dispatch;

/** Keeps workers from taking more events while too many outcomes are unstored. */
@FunctionalInterface
interface Brake {
  /** For crews of many stations: there each station stops claiming by itself. */
  Brake NONE = () -> {};

  /** Waits while too many outcomes are unstored. */
  void awaitRoom() throws InterruptedException;
}

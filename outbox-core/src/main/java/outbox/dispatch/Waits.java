package outbox.dispatch;

/** Waits of a shutdown, which goes on with its next step when it is interrupted. */
final class Waits {
  private Waits() {}

  /** Returns false if the wait was interrupted. */
  static boolean completed(Wait wait) {
    try {
      wait.run();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @FunctionalInterface
  interface Wait {
    void run() throws InterruptedException;
  }
}

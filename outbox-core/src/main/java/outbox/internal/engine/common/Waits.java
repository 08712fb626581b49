package outbox.internal.engine.common;

/** Waits of a shutdown, which continues with its next step when it is interrupted. */
public final class Waits {
  private Waits() {}

  /** Returns false if the wait was interrupted. */
  public static boolean completed(Wait wait) {
    try {
      wait.run();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @FunctionalInterface
  public interface Wait {
    void run() throws InterruptedException;
  }
}

package outbox.spi;

/**
 * Work that is to be done on a database now and then, in batches so small that no statement waits
 * for them. Used by one thread at a time.
 */
public interface Chore {

  /** For log lines: what is done, and to which table or store. */
  String name();

  /**
   * Does one batch, each a transaction of its own.
   *
   * @return false if nothing is left to be done by now
   */
  boolean batch();

  /** Does all that is to be done by now, on the calling thread, unless it is interrupted. */
  default void finish() {
    while (batch() && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
  }
}

package outbox.internal.util;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A short wait between two tries, whose length an interrupt must not change. */
public final class Pause {
  private Pause() {}

  /** Waits for the whole time. A thread that is or gets interrupted meanwhile stays so after it. */
  public static void of(Duration length) {
    long end = System.nanoTime() + length.toNanos();
    boolean interrupted = Thread.interrupted();
    for (long rest = length.toNanos(); rest > 0; rest = end - System.nanoTime()) {
      LockSupport.parkNanos(rest);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

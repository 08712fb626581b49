package outbox.demo;

import java.util.concurrent.TimeUnit;

/** Lets a loop run a number of times per second. Not thread-safe. */
final class Pace {
  private final long gapNanos;
  private long next = System.nanoTime();

  Pace(int perSecond) {
    this.gapNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
  }

  void await() throws InterruptedException {
    long wait = next - System.nanoTime();
    if (wait > 0) {
      TimeUnit.NANOSECONDS.sleep(wait);
    }
    next += gapNanos;
  }
}

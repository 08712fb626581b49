package outbox.internal.engine.intake;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Asks now and then for a look at all ordering keys: a process that has ended an event, or stored
 * one behind another, may have died before it started the next. Thread-safe.
 */
final class KeySweeps {
  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(10);

  private final Runnable sweep;
  private final Duration period;
  private final AtomicLong last = new AtomicLong(System.nanoTime());

  KeySweeps(Duration lease, Runnable sweep) {
    this.sweep = sweep;
    this.period = lease.compareTo(LONGEST_PERIOD) < 0 ? lease : LONGEST_PERIOD;
  }

  void sweepIfDue() {
    long before = last.get();
    long now = System.nanoTime();
    if (now - before >= period.toNanos() && last.compareAndSet(before, now)) {
      sweep.run();
    }
  }
}

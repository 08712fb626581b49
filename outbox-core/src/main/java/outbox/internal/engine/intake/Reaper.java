package outbox.internal.engine.intake;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.health.EngineConnections;
import outbox.spi.LeasedEventStore;

/**
 * Takes the owner off expired leases now and then, so that they do not look like live ones. Claims
 * do not depend on it. Thread-safe.
 */
final class Reaper {
  private static final Logger LOG = System.getLogger(LoggerNames.POLLER);
  private static final Duration LONGEST_PERIOD = Duration.ofMinutes(1);
  private static final int LIMIT = 1000;

  /** Bounds what a look costs while there is a backlog: claims take its expired leases over. */
  private static final int WINDOW = 11_000;

  private final String label;
  private final Duration lease;
  private final EngineConnections connections;
  private final LeasedEventStore store;
  private final Duration period;
  private final AtomicLong last = new AtomicLong(System.nanoTime());

  Reaper(String label, Duration lease, EngineConnections connections, LeasedEventStore store) {
    this.label = label;
    this.lease = lease;
    this.connections = connections;
    this.store = store;
    this.period = period(lease);
  }

  /** A lease is reaped when it has been over for as long as it ran. */
  private static Duration period(Duration lease) {
    return lease.compareTo(LONGEST_PERIOD.dividedBy(2)) < 0
        ? lease.multipliedBy(2)
        : LONGEST_PERIOD;
  }

  void reapIfDue() {
    long before = last.get();
    long now = System.nanoTime();
    if (now - before < period.toNanos() || !last.compareAndSet(before, now)) {
      return;
    }
    int reaped =
        connections.call(Claimer.OPERATION, c -> store.reapExpired(c, lease, LIMIT, WINDOW));
    if (reaped > 0) {
      LOG.log(Level.INFO, "expired leases cleared count={0}{1}", Integer.toString(reaped), label);
    }
  }
}

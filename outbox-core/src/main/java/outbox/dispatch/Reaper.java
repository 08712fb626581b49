package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import outbox.spi.LeasedEventStore;

/**
 * Takes the owner off expired leases now and then, so that they do not look like live ones. Claims
 * do not depend on it. Used by one claimer.
 */
final class Reaper {
  private static final Logger LOG = System.getLogger(Claimer.class.getName());
  private static final Duration LONGEST_PERIOD = Duration.ofMinutes(1);
  private static final int LIMIT = 1000;

  /** Bounds what a look costs while there is a backlog: claims take its expired leases over. */
  private static final int WINDOW = 11_000;

  private final Station station;
  private final EngineConnections connections;
  private final LeasedEventStore store;
  private final Duration period;
  private volatile long last = System.nanoTime();

  Reaper(Station station, EngineConnections connections, LeasedEventStore store) {
    this.station = station;
    this.connections = connections;
    this.store = store;
    this.period = period(station.lease());
  }

  /** A lease is reaped when it has been over for as long as it ran. */
  private static Duration period(Duration lease) {
    return lease.compareTo(LONGEST_PERIOD.dividedBy(2)) < 0
        ? lease.multipliedBy(2)
        : LONGEST_PERIOD;
  }

  boolean isDue() {
    return System.nanoTime() - last >= period.toNanos();
  }

  void reapIfDue() {
    if (!isDue()) {
      return;
    }
    last = System.nanoTime();
    int reaped =
        connections.call(
            Claimer.OPERATION, c -> store.reapExpired(c, station.lease(), LIMIT, WINDOW));
    if (reaped > 0) {
      LOG.log(
          Level.INFO,
          "expired leases cleared count={0}{1}",
          Integer.toString(reaped),
          station.label());
    }
  }
}

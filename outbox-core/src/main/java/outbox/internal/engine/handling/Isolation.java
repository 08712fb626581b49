package outbox.internal.engine.handling;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.delivery.Delivery;

/**
 * Keeps the blame for the end of a process off events that only ran beside the one that ended it.
 *
 * <p>An event that was left behind by an expired lease is suspect: its start is recorded, and a
 * lease that expires after that is counted. Suspects that were never counted run side by side, so
 * that a crash with thousands of leases is taken over at full speed. A suspect that was counted
 * before, or that would end with the next count, runs alone: a process that ends then was ended by
 * this one. Thread-safe.
 */
public final class Isolation {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  private final ProcessRuns runs;
  private final int maxLeaseExpiries;
  private final BooleanSupplier closing;

  /** One for each store. */
  public Isolation(ProcessRuns runs, int maxLeaseExpiries, BooleanSupplier closing) {
    this.runs = runs;
    this.maxLeaseExpiries = maxLeaseExpiries;
    this.closing = closing;
  }

  /**
   * Begins a run, which {@link #leave} must end; waits until it may.
   *
   * @return null, or how long to put the delivery off because another one runs alone
   */
  @Nullable Duration enter(Delivery delivery) {
    if (isToRunAlone(delivery)) {
      if (closing.getAsBoolean() || !runs.beginAlone(delivery)) {
        return runs.delay();
      }
      LOG.log(
          Level.INFO,
          "event runs alone, because its lease expired {0} times while it ran {1}",
          delivery.leaseExpiries(),
          delivery);
    } else {
      runs.begin(closing);
    }
    if (delivery.isSuspect()) {
      runs.counts(delivery);
    }
    return null;
  }

  /** Begins the run of a batch without suspects, which {@link #leave} must end. */
  void enterBatch() {
    runs.begin(closing);
  }

  /** One that has reached the limit ends without a run. */
  private boolean isToRunAlone(Delivery delivery) {
    int expiries = delivery.leaseExpiries();
    return delivery.isSuspect()
        && expiries < maxLeaseExpiries
        && (expiries > 0 || maxLeaseExpiries == 1);
  }

  /** Ends a run, or gives up on its thread. */
  public void leave() {
    runs.end();
  }
}

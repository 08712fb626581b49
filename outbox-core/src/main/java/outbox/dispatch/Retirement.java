package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Takes one station out while the others go on: no new claims, and none under way; what is queued
 * is worked off until the drain timeout; the rest is given back and listeners that still run are
 * interrupted; the last outcomes are stored; then the store is closed. A row whose listener does
 * not end is never given back: its lease runs out by itself.
 */
final class Retirement implements Runnable {
  private static final Logger LOG = System.getLogger(MultiOutboxDispatcher.class.getName());
  private static final Duration LAST_STEP_LIMIT = Duration.ofSeconds(5);

  private final Crew crew;
  private final Berth berth;
  private final Waiter idle = new Waiter();

  Retirement(Crew crew, Berth berth) {
    this.crew = crew;
    this.berth = berth;
  }

  @Override
  public void run() {
    Station station = berth.station();
    boolean interrupted = false;
    if (!station.claims().close()) {
      return;
    }
    station.inFlight().onEmpty(idle::wake);
    try {
      interrupted = !Waits.completed(berth::stopClaiming);
      interrupted |= !Waits.completed(() -> awaitIdle(crew.config().getDrainTimeout()));
      crew.unload(delivery -> delivery.station() == station).forEach(station::release);
      station.inFlight().all().forEach(Delivery::interruptForClose);
      berth.flushRest();
      interrupted |= !Waits.completed(() -> awaitIdle(LAST_STEP_LIMIT));
      interrupted |= !Waits.completed(berth::leave);
      report(berth);
    } finally {
      station.forget();
      berth.store().close();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void awaitIdle(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    long rest = limit.toNanos();
    while (!berth.isIdle() && rest > 0) {
      idle.await(Duration.ofNanos(rest));
      rest = end - System.nanoTime();
    }
  }

  /** Says how a station was left. */
  static void report(Berth berth) {
    Station station = berth.station();
    if (station.inFlight().size() == 0) {
      LOG.log(Level.DEBUG, "store left{0}", station.label());
    } else {
      LOG.log(
          Level.WARNING,
          "store left with outcomes not stored count={0}{1}; their events are delivered again after"
              + " leaseDuration",
          station.inFlight().size(),
          station.label());
    }
  }
}

package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CountDownLatch;
import outbox.spi.LeasedEventStore;

/**
 * A crew with one station: each of the station's duties has a thread of its own, so that none waits
 * for another. Takes them down in the right order.
 */
final class Engine {
  private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

  private final Crew crew;
  private final Station station;
  private final HotIntake intake;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread completerThread;
  private final Thread keeperThread;
  private final Thread confirmerThread;

  Engine(
      OutboxDispatcher.Builder setup, LeasedEventStore store, boolean leasing, OwnerTokens tokens) {
    CompletionQueue completions = CompletionQueue.of(setup.config);
    this.crew =
        new Crew(setup.config, setup.listeners, setup.topicRetries(), setup.metrics, completions);
    crew.onDead(setup.onDead);
    crew.propagating(setup.propagation);
    StationParts parts =
        new StationParts(
            "",
            setup.connectionProvider,
            store,
            leasing,
            tokens,
            setup.tracker,
            setup.transactions,
            setup.signal);
    this.station = new Station(crew, parts, completions);
    crew.lanes().onColdRoom(station.demand()::wake);
    this.intake = new HotIntake(crew, station);
    this.completerThread = EngineThreads.start("outbox-completer", station.completer());
    this.keeperThread = EngineThreads.start("outbox-leases", station.keeper());
    this.confirmerThread = EngineThreads.start("outbox-confirmer", intake.confirmer());
    crew.start();
  }

  Crew crew() {
    return crew;
  }

  Station station() {
    return station;
  }

  HotIntake intake() {
    return intake;
  }

  /**
   * Shuts down in this order: no new events; workers work the lanes off until the drain timeout;
   * what is still queued is given back; listeners that still run are interrupted; the last outcomes
   * are stored. A row whose listener does not end is never given back: its lease runs out by
   * itself. All steps share the time of one {@link Shutdown}.
   */
  void close() {
    if (!station.claims().close()) {
      awaitClosed();
      return;
    }
    Shutdown shutdown = new Shutdown(crew.config());
    Probe probe = new Probe(station.connections());
    boolean interrupted = false;
    try {
      station.stopClaiming();
      confirmerThread.interrupt();
      shutdown.grace().join(confirmerThread);
      interrupted = !Waits.completed(() -> station.claims().awaitClaim(shutdown.grace().rest()));
      interrupted |= !Waits.completed(() -> shutdown.workOff(crew, probe));
      crew.unload(delivery -> true).forEach(station::release);
      intake.releaseUnconfirmed();
      station.inFlight().all().forEach(Delivery::interruptForClose);
      interrupted |= !Waits.completed(() -> crew.awaitEnd(shutdown.grace().rest().toNanos()));
      station.completions().close();
      shutdown.end().join(completerThread);
      giveUpRest();
      station.keeper().stop();
      station.stopConnections();
      shutdown.end().join(keeperThread);
      interrupted |= !Waits.completed(() -> crew.deaths().close(shutdown.end().rest()));
    } finally {
      probe.stop();
      closed.countDown();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void giveUpRest() {
    if (completerThread.isAlive()) {
      station.completer().giveUp();
      LOG.log(
          Level.WARNING,
          "closed with outcomes not stored count={0}; their events are delivered again after"
              + " leaseDuration",
          station.inFlight().size());
    }
  }

  private void awaitClosed() {
    if (!crew.isWorker() && !Waits.completed(closed::await)) {
      Thread.currentThread().interrupt();
    }
  }
}

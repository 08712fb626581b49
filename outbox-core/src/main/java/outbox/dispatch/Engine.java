package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import outbox.spi.LeasedEventStore;

/**
 * A crew with one station: each of the station's duties has a thread of its own, so that none waits
 * for another. Takes them down in the right order.
 */
final class Engine {
  private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());
  private static final Duration INTERRUPT_GRACE = Duration.ofSeconds(1);
  private static final Duration FINAL_FLUSH_LIMIT = Duration.ofSeconds(5);

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
   * itself.
   */
  void close() {
    if (!station.claims().close()) {
      awaitClosed();
      return;
    }
    boolean interrupted = false;
    try {
      confirmerThread.interrupt();
      interrupted = !Waits.completed(() -> confirmerThread.join(INTERRUPT_GRACE.toMillis()));
      interrupted |= !Waits.completed(() -> station.claims().awaitClaim(FINAL_FLUSH_LIMIT));
      interrupted |= !Waits.completed(crew::workOff);
      crew.unload(delivery -> true).forEach(station::release);
      intake.releaseUnconfirmed();
      station.inFlight().all().forEach(Delivery::interruptForClose);
      interrupted |= !Waits.completed(() -> crew.awaitEnd(INTERRUPT_GRACE.toNanos()));
      station.completions().close();
      interrupted |= !Waits.completed(() -> completerThread.join(FINAL_FLUSH_LIMIT.toMillis()));
      giveUpRest();
      station.keeper().stop();
      interrupted |= !Waits.completed(() -> keeperThread.join(INTERRUPT_GRACE.toMillis()));
      interrupted |= !Waits.completed(crew.deaths()::close);
    } finally {
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

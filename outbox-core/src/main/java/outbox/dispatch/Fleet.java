package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import outbox.Outbox;
import outbox.routing.OutboxRouter;
import outbox.routing.OutboxStore;
import outbox.util.Deadline;

/**
 * A crew with many stations. Their duties share a bounded number of threads, each of which uses one
 * connection at a time; one more thread watches the clock. Thread-safe.
 */
final class Fleet implements OutboxRouter {
  private static final Duration PAUSE_AFTER_ERROR = Duration.ofSeconds(1);

  private final MultiOutboxDispatcher.Builder setup;
  private final boolean polls;
  private final Crew crew;
  private final DutyRoster roster;
  private final List<Thread> threads = new ArrayList<>();
  private final Set<Thread> retiring = ConcurrentHashMap.newKeySet();
  private final Waiter timer = new Waiter();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Set<Berth> watched = ConcurrentHashMap.newKeySet();
  private volatile Map<String, Berth> berths = Map.of();

  Fleet(MultiOutboxDispatcher.Builder setup) {
    this.setup = setup;
    this.polls = setup.config.isPollerEnabled();
    this.crew =
        new Crew(setup.config, setup.listeners, setup.topicRetries(), setup.metrics, Brake.NONE);
    crew.onDead(setup.onDead);
    crew.propagating(setup.propagation);
    ColdRoom room =
        new ColdRoom(
            crew.lanes(), setup.config.getPollerBatchSize(), setup.config.getColdQueueCapacity());
    this.roster =
        new DutyRoster(
            new DutyQueues(
                setup.maxConnections,
                new ClaimQueue(setup.strategy),
                room,
                Duration.ofMillis(setup.config.getPollerIntervalMs())));
    crew.lanes().onColdRoom(roster::look);
    setup.provider.onChange(this::refresh);
    refresh();
    crew.start();
    for (int i = 1; i <= setup.maxConnections; i++) {
      threads.add(EngineThreads.start("outbox-database-" + i, this::performDuties));
    }
    threads.add(EngineThreads.start("outbox-timer", this::watchTheClock));
  }

  /** Takes up what the provider has more than before, and retires what it has no longer. */
  private synchronized void refresh() {
    if (closing.get()) {
      return;
    }
    Map<String, Berth> before = berths;
    Map<String, Berth> now = new LinkedHashMap<>();
    List<Berth> added = new ArrayList<>();
    for (OutboxStore store : setup.provider.stores()) {
      String name = setup.provider.identifierOf(store);
      Berth present = before.get(name);
      if (present == null || present.store() != store) {
        present = new Berth(crew, parts(name, store), store, roster, polls);
        added.add(present);
      }
      now.put(name, present);
    }
    berths = now;
    watched.addAll(added);
    added.forEach(Berth::start);
    before.values().stream().filter(berth -> !now.containsValue(berth)).forEach(this::retire);
  }

  private StationParts parts(String name, OutboxStore store) {
    return new StationParts(
        name,
        store.connections(),
        store.events(),
        true,
        new OwnerTokens(setup.node),
        new DefaultInFlightTracker(),
        store.transactions(),
        null);
  }

  private void retire(Berth berth) {
    Runnable retirement = new Retirement(crew, berth);
    retiring.add(
        EngineThreads.start(
            "outbox-retirement",
            () -> {
              retirement.run();
              watched.remove(berth);
              retiring.remove(Thread.currentThread());
            }));
  }

  private void performDuties() {
    try {
      for (Duty duty = roster.take(); duty != null; duty = roster.take()) {
        perform(duty);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void perform(Duty duty) {
    Duration pause = PAUSE_AFTER_ERROR;
    try {
      pause = duty.perform();
    } finally {
      roster.done(duty, pause);
    }
  }

  private void watchTheClock() {
    Duration tick = LeaseKeeper.tick(setup.config.getLeaseDuration());
    try {
      while (closed.getCount() > 0) {
        timer.await(tick);
        watched.forEach(Berth::watch);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Outbox getOutbox(String key) {
    return berth(key).outbox();
  }

  Berth berth(String key) {
    Berth berth = berths.get(key);
    if (berth == null) {
      throw new IllegalStateException(
          "no outbox for key "
              + key
              + "; "
              + berths.size()
              + " keys are known, each the identifier of a store");
    }
    return berth;
  }

  List<OutboxStore> stores() {
    return berths.values().stream().map(Berth::store).toList();
  }

  /**
   * Shuts down in the same order as a single dispatcher, all stations at once; what the databases
   * do not take within the limit is left to their leases.
   */
  void close() {
    if (!closing.compareAndSet(false, true)) {
      awaitClosed();
      return;
    }
    Shutdown shutdown = new Shutdown(setup.config);
    setup.provider.close();
    List<Berth> all = settled();
    boolean interrupted = false;
    try {
      all.forEach(berth -> berth.station().claims().close());
      all.forEach(berth -> berth.station().stopClaiming());
      Deadline claims = shutdown.grace();
      for (Berth berth : all) {
        interrupted |= !Waits.completed(() -> berth.station().claims().awaitClaim(claims.rest()));
      }
      interrupted |= !Waits.completed(() -> shutdown.workOff(crew, () -> isAnyUp(all)));
      crew.unload(delivery -> true).forEach(delivery -> delivery.station().release(delivery));
      all.forEach(berth -> berth.station().inFlight().all().forEach(Delivery::interruptForClose));
      interrupted |= !Waits.completed(() -> crew.awaitEnd(shutdown.grace().rest().toNanos()));
      interrupted |= !Waits.completed(() -> flushRest(all, shutdown.end()));
      retiring.forEach(shutdown.end()::join);
      interrupted |= !Waits.completed(() -> crew.deaths().close(shutdown.end().rest()));
    } finally {
      roster.close();
      closed.countDown();
      timer.wake();
      all.forEach(berth -> berth.station().stopConnections());
      threads.forEach(shutdown.end()::join);
      all.forEach(berth -> berth.store().close());
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** No refresh is under way, and none begins, once this has the lock. */
  private synchronized List<Berth> settled() {
    return List.copyOf(berths.values());
  }

  /** Whether one of the databases that have events in flight is not known to be down. */
  private static boolean isAnyUp(List<Berth> all) {
    return all.stream().anyMatch(berth -> !berth.isIdle() && !berth.station().outage().isDown());
  }

  private static void flushRest(List<Berth> all, Deadline deadline) throws InterruptedException {
    Waiter idle = new Waiter();
    all.forEach(berth -> berth.station().inFlight().onEmpty(idle::wake));
    all.forEach(Berth::flushRest);
    while (!deadline.isOver() && !all.stream().allMatch(Berth::isIdle)) {
      idle.await(deadline.rest());
    }
    all.forEach(Retirement::report);
  }

  private void awaitClosed() {
    if (!crew.isWorker() && !Waits.completed(closed::await)) {
      Thread.currentThread().interrupt();
    }
  }
}

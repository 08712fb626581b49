package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import outbox.OutboxConfig;
import outbox.dispatch.PreparedEvent.Wake;
import outbox.dispatch.StoreTask.Kind;
import outbox.internal.text.LogText;
import outbox.internal.util.Deadline;
import outbox.model.DeadLetter;
import outbox.routing.OutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;

/**
 * What each database has: its store and connections, whether it answers, the events of it that are
 * in flight, and the way of their outcomes back into it. Has no threads of its own. Thread-safe.
 */
final class StoreRuntime {
  private volatile StoreTime time = StoreTime.LOCAL;
  private final String name;
  private final OutboxStore outboxStore;
  private final TaskScheduler scheduler;
  private final WorkerRuntime workers;
  private final OutboxConfig config;
  private final LeasedEventStore store;
  private final boolean leasing;
  private final Predicate<String> settledSincePoll;
  private final OwnerTokens tokens;
  private final DatabaseHealth health;
  private final Demand demand;
  private final EngineConnections connections;
  private final EngineConnections renewerConnections;
  private final InFlight inFlight;
  private final CompletionQueue completions;
  private final Completer completer;
  private final Handling handling;
  private final LeaseRenewer renewer;
  private final ClaimGate claims = new ClaimGate();
  private final DueTimes dueTimes = new DueTimes();
  private final HotIntake intake;
  private final StoreTask flush;
  private final StoreTask renew;
  private final StoreTask confirm;
  private final List<StorePoller> pollers = new CopyOnWriteArrayList<>();

  StoreRuntime(WorkerRuntime workers, StoreSetup parts, TaskScheduler scheduler) {
    this.name = parts.name();
    this.outboxStore = parts.store();
    this.scheduler = scheduler;
    this.workers = workers;
    this.config = workers.config();
    this.store = outboxStore.events();
    this.leasing = parts.leasing();
    this.settledSincePoll = store instanceof UnleasedStore plain ? plain::isSettled : id -> false;
    this.tokens = parts.tokens();
    MetricsExporter metrics = workers.metrics();
    this.health = new DatabaseHealth(name, metrics);
    this.demand = new Demand(health, parts.signal());
    this.connections = connectionsOf(outboxStore.connections(), config.getNetworkTimeout());
    this.renewerConnections = connectionsOf(outboxStore.connections(), renewerTimeout(config));
    this.inFlight = new InFlight(parts.tracker());
    this.completions = CompletionQueue.of(config, this::outcomesWait);
    DeliveryResults results =
        new DeliveryResults(
            inFlight,
            metrics,
            workers.workerLog(),
            () -> demand.wake(Wake.ALL_NODES),
            dueTimes::dueAfter,
            this::died);
    this.completer = new Completer(completions, store, connections, health, tokens, results);
    LeaseGate gate = new LeaseGate(store, connections, tokens, config.getLeaseDuration());
    ProcessRuns runs = ProcessRuns.OF_THIS_JVM;
    inFlight.onRemove(runs::settled);
    Isolation isolation = new Isolation(runs, config.getMaxLeaseExpiries(), this::isClosing);
    DeliveryRunner runner =
        new DeliveryRunner(
            workers.listeners(),
            workers.retries(),
            workers.workerLog(),
            config,
            metrics,
            store,
            outboxStore.transactions(),
            gate::renew,
            workers.propagation(),
            () -> isAmongMany() && health.isDown());
    this.handling =
        new Handling(
            gate,
            isolation,
            runner,
            completer,
            results,
            new DeliveryReports(metrics),
            workers.workerLog(),
            health,
            isAmongMany());
    this.renewer =
        new LeaseRenewer(
            label(),
            inFlight,
            store,
            renewerConnections,
            health,
            tokens,
            config,
            () -> {
              isolation.leave();
              workers.replaceWorker();
            });
    this.flush = new StoreTask(this, Kind.FLUSH, share -> completer.flushOne());
    this.renew = new StoreTask(this, Kind.RENEW, share -> renewer.renewHeld());
    this.intake = new HotIntake(workers, this, this::unconfirmedWait);
    this.confirm = new StoreTask(this, Kind.CONFIRM, share -> intake.confirmer().confirmOne());
    health.onRecovery(this::catchUp);
  }

  /** What waited for the database waits no longer. */
  private void catchUp() {
    scheduler.recovered(this);
    if (!completions.isEmpty()) {
      scheduler.request(flush);
    }
    if (intake.confirmer().isWaiting()) {
      scheduler.request(confirm);
    }
    watch();
  }

  private void outcomesWait() {
    scheduler.requestAt(flush, completions.dueAt());
  }

  private void unconfirmedWait() {
    scheduler.request(confirm);
  }

  /** Watches listeners and leases; costs nothing while nothing is in flight. */
  void watch() {
    if (renewer.watch()) {
      scheduler.request(renew);
    }
  }

  /**
   * Looks for due events from its start on.
   *
   * @param polled the store with the connections to claim by; an object for each poller
   */
  StorePoller poller(
      OutboxStore polled,
      Duration skipRecent,
      int batchSize,
      Duration interval,
      MetricsExporter metrics) {
    EngineConnections stoppable =
        connectionsOf(polled.claimConnections(), config.getNetworkTimeout());
    Claimer claimer = new Claimer(this, stoppable, store, batchSize, skipRecent, metrics);
    StorePoller poller =
        new StorePoller(this, scheduler, stoppable, claimer, polled, batchSize, interval);
    pollers.add(poller);
    return poller;
  }

  /** The way of published events into the memory of this process. */
  HotIntake intake() {
    return intake;
  }

  OutboxStore outboxStore() {
    return outboxStore;
  }

  /** Queues the event; a duplicate of one in flight counts as accepted: it is being seen to. */
  boolean accept(Delivery delivery, boolean hot) {
    if (!inFlight.admit(delivery.at(this))) {
      return true;
    }
    if (!isClosing() && (hot ? lanes().offerHot(delivery) : lanes().offerCold(delivery))) {
      return true;
    }
    inFlight.remove(delivery);
    return false;
  }

  /** Takes a claimed event in; one that does not fit after all is given back. */
  boolean acceptCold(Delivery delivery) {
    if (!inFlight.admit(delivery.at(this))) {
      return false;
    }
    // Asked after the admission: whoever ended the event did so before it left the in-flight set.
    if (settledSincePoll.test(delivery.id())) {
      inFlight.remove(delivery);
      workerLog().skippedProcessed(delivery);
      return false;
    }
    if (!isClosing() && lanes().offerCold(delivery)) {
      return true;
    }
    release(delivery);
    return false;
  }

  /** Ends a claimed event that cannot be delivered. */
  void kill(Delivery delivery, String reason) {
    completer.submit(delivery.at(this), new Outcome.Dead(reason, reason));
  }

  /** Gives the lease of an event that did not run back. */
  void release(Delivery delivery) {
    completer.submit(delivery.at(this), Outcome.RELEASE);
  }

  /** Tells the listener of dead letters, if there is one, of an event that has died. */
  void died(DeadLetter letter) {
    workers.deaths().give(name, letter);
  }

  /** When events are due that this process has stored for later. */
  DueTimes dueTimes() {
    return dueTimes;
  }

  boolean isAmongMany() {
    return !name.isEmpty();
  }

  /** For a log line: " store=…", or nothing if there is only one store. */
  String label() {
    return isAmongMany() ? " store=" + LogText.of(name) : "";
  }

  WorkerLog workerLog() {
    return workers.workerLog();
  }

  boolean isInternal(String topic) {
    return workers.isInternal(topic);
  }

  /** Reports how old the eldest event of a claim was. */
  void recordLag(long millis) {
    workers.lag().record(this, millis);
  }

  LeasedEventStore store() {
    return store;
  }

  EngineConnections connections() {
    return connections;
  }

  Lanes lanes() {
    return workers.lanes();
  }

  DatabaseHealth health() {
    return health;
  }

  Demand demand() {
    return demand;
  }

  InFlight inFlight() {
    return inFlight;
  }

  CompletionQueue completions() {
    return completions;
  }

  Completer completer() {
    return completer;
  }

  Handling handling() {
    return handling;
  }

  boolean isLeasing() {
    return leasing;
  }

  int coldCapacity() {
    return config.getColdQueueCapacity();
  }

  Duration lease() {
    return config.getLeaseDuration();
  }

  /** The store's time as this process saw it last. */
  StoreTime time() {
    return time;
  }

  void sees(StoreTime time) {
    if (time.seen() != null) {
      this.time = time;
      dueTimes.sees(time);
    }
  }

  long deadlineFrom(long nanos) {
    return nanos + config.getLeaseDuration().toNanos();
  }

  String processToken() {
    return tokens.ofProcess();
  }

  String claimToken() {
    return leasing ? tokens.ofNextClaim() : tokens.ofProcess();
  }

  /** Takes nothing in from here on; a claim that waits for a connection ends at once. */
  void stopClaiming() {
    claims.close();
    pollers.forEach(StorePoller::stop);
  }

  /** Gives back what has not been confirmed, and interrupts the listeners that still run. */
  void giveBack(Deadline deadline) throws InterruptedException {
    try {
      scheduler.remove(List.of(confirm));
      scheduler.awaitEnd(List.of(confirm), deadline);
    } finally {
      intake.releaseUnconfirmed();
      inFlight.all().forEach(Delivery::interruptForClose);
    }
  }

  /** Stores what is left without collecting first. */
  void flushRest() {
    completions.close();
    scheduler.request(flush);
  }

  /** Whether nothing of it is in this process any more. */
  boolean isIdle() {
    return inFlight.size() == 0 && completions.isEmpty();
  }

  /** Whether every outcome that there is has been stored. */
  boolean isFlushed() {
    return completions.isEmpty()
        && !scheduler.isRunning(flush)
        && inFlight.all().stream().noneMatch(delivery -> delivery.outcome() != null);
  }

  /** Nothing is done here any more, nor reported; the store is closed. */
  void leave(Deadline deadline) throws InterruptedException {
    try {
      List<StoreTask> tasks = List.of(flush, renew);
      scheduler.remove(tasks);
      scheduler.awaitEnd(tasks, deadline);
      for (StorePoller poller : pollers) {
        poller.awaitEnd(deadline);
      }
    } finally {
      stopConnections();
      health.forget();
      workers.lag().forget(this);
      close();
    }
  }

  void close() {
    outboxStore.close();
  }

  /** The last step of a shutdown: nothing of this store waits for a connection any more. */
  void stopConnections() {
    health.close();
    connections.stop();
    renewerConnections.stop();
  }

  /**
   * A hanging connection must not keep the renewal of all leases waiting until they have run out.
   */
  private static Duration renewerTimeout(OutboxConfig config) {
    long part = Math.max(1, config.getLeaseDuration().toMillis() / 4);
    return Duration.ofMillis(Math.min(part, config.getNetworkTimeout().toMillis()));
  }

  private EngineConnections connectionsOf(ConnectionProvider provider, Duration networkTimeout) {
    return new EngineConnections(provider, health, networkTimeout);
  }

  /** Whether events are still claimed and taken in. */
  ClaimGate claims() {
    return claims;
  }

  boolean isClosing() {
    return claims.isClosed();
  }
}

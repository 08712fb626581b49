package outbox.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.internal.engine.completion.Completer;
import outbox.internal.engine.completion.CompletionQueue;
import outbox.internal.engine.completion.DeliveryResults;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.DeliveryBatch;
import outbox.internal.engine.delivery.InFlight;
import outbox.internal.engine.delivery.StoreTime;
import outbox.internal.engine.handling.BatchRunner;
import outbox.internal.engine.handling.DeliveryReports;
import outbox.internal.engine.handling.DeliveryRunner;
import outbox.internal.engine.handling.Handling;
import outbox.internal.engine.handling.Isolation;
import outbox.internal.engine.handling.ProcessRuns;
import outbox.internal.engine.health.DatabaseHealth;
import outbox.internal.engine.health.EngineConnections;
import outbox.internal.engine.intake.Admission;
import outbox.internal.engine.intake.ClaimContext;
import outbox.internal.engine.intake.ClaimGate;
import outbox.internal.engine.intake.Claimer;
import outbox.internal.engine.intake.HotConfirmer;
import outbox.internal.engine.intake.HotIntake;
import outbox.internal.engine.intake.KeyAdvancer;
import outbox.internal.engine.intake.KeyQueue;
import outbox.internal.engine.intake.StorePoller;
import outbox.internal.engine.lease.LeaseGate;
import outbox.internal.engine.lease.LeaseRenewer;
import outbox.internal.engine.lease.LeaseTerms;
import outbox.internal.engine.lease.OwnerTokens;
import outbox.internal.engine.lease.UnleasedStore;
import outbox.internal.engine.schedule.DueTimes;
import outbox.internal.engine.schedule.StoreTask;
import outbox.internal.engine.schedule.StoreTask.Kind;
import outbox.internal.engine.schedule.TaskScheduler;
import outbox.internal.engine.schedule.Wake;
import outbox.internal.engine.schedule.Wakeups;
import outbox.internal.text.LogText;
import outbox.internal.util.Deadline;
import outbox.model.DeadLetter;
import outbox.routing.OutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedEvents;

/**
 * What each database has: its store and connections, whether it answers, the events of it that are
 * in flight, and the way of their outcomes back into it. Has no threads of its own. Thread-safe.
 */
public final class StoreRuntime implements StoreTask.Owner {
  private final String name;
  private final OutboxStore outboxStore;
  private final TaskScheduler scheduler;
  private final WorkerRuntime workers;
  private final OutboxConfig config;
  private final LeasedEventStore store;
  private final LeaseTerms leases;
  private final DatabaseHealth health;
  private final Wakeups wakeups;
  private final EngineConnections connections;
  private final EngineConnections renewerConnections;
  private final InFlight inFlight;
  private final CompletionQueue completions;
  private final Completer completer;
  private final Handling handling;
  private final LeaseRenewer renewer;
  private final ClaimGate claims = new ClaimGate();
  private final DueTimes dueTimes = new DueTimes();
  private final Admission admission;
  private final ClaimContext context;
  private final HotIntake intake;
  private final StoreTask flush;
  private final StoreTask renew;
  private final StoreTask confirm;
  private final KeyQueue keys;
  private final @Nullable KeyAdvancer advancer;
  private final StoreTask advance;
  private final List<StorePoller> pollers = new CopyOnWriteArrayList<>();

  public StoreRuntime(WorkerRuntime workers, StoreSetup parts, TaskScheduler scheduler) {
    this.name = parts.name();
    this.outboxStore = parts.store();
    this.scheduler = scheduler;
    this.workers = workers;
    this.config = workers.config();
    this.store = outboxStore.events();
    OwnerTokens tokens = parts.tokens();
    this.leases = new LeaseTerms(tokens, config.getLeaseDuration(), parts.leasing());
    MetricsExporter metrics = workers.metrics();
    this.health = new DatabaseHealth(name, metrics);
    this.wakeups = new Wakeups(dueTimes, parts.signal());
    this.connections = connectionsOf(outboxStore.connections(), config.getNetworkTimeout());
    this.renewerConnections = connectionsOf(outboxStore.connections(), renewerTimeout(config));
    this.inFlight = new InFlight(parts.tryAcquire(), parts.release());
    this.completions = CompletionQueue.of(config, this::outcomesWait);
    DeliveryResults results =
        new DeliveryResults(
            inFlight,
            metrics,
            workers.workerLog(),
            () -> wakeups.now(Wake.ALL_NODES),
            wakeups::dueAfter,
            this::died);
    this.completer = new Completer(completions, store, connections, health, tokens, results);
    LeaseGate gate = new LeaseGate(store, connections, tokens, config.getLeaseDuration());
    ProcessRuns runs = ProcessRuns.OF_THIS_JVM;
    this.keys = new KeyQueue(this::keysWait);
    inFlight.onAdmit(keys::admitted);
    inFlight.onRemove(
        delivery -> {
          runs.settled(delivery);
          keys.left(delivery);
        });
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
            new BatchRunner(runner, gate::renewAll),
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
    Predicate<String> settledSincePoll =
        store instanceof UnleasedStore plain ? plain::isSettled : id -> false;
    this.admission =
        new Admission(
            this, inFlight, workers.lanes(), completer, workers.workerLog(), settledSincePoll);
    this.context =
        new ClaimContext(
            store,
            leases,
            health,
            admission,
            claims,
            dueTimes,
            workers.lag(),
            this::died,
            this::sweepKeys);
    OrderedEvents ordered = store.ordered();
    this.advancer =
        ordered == null
            ? null
            : new KeyAdvancer(
                ordered,
                keys,
                context,
                connections,
                metrics,
                wakeups,
                workers.retries()::releasesKey,
                this::keysWait);
    this.advance =
        new StoreTask(
            this, Kind.ADVANCE, share -> advancer == null ? null : advancer.advanceSome());
    this.intake =
        new HotIntake(
            admission,
            leases,
            wakeups,
            dueTimes,
            workers.listeners(),
            workers.propagation(),
            confirmed ->
                new HotConfirmer(
                    config.getHotQueueCapacity(),
                    store,
                    connections,
                    health,
                    confirmed,
                    this::unconfirmedWait),
            keys);
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
    if (!keys.isEmpty()) {
      scheduler.request(advance);
    }
    watch();
    wakeups.now();
  }

  private void outcomesWait() {
    scheduler.requestAt(flush, completions.dueAt());
  }

  private void keysWait() {
    scheduler.request(advance);
  }

  /** Asks for a look at all ordering keys, for those that another process has left behind. */
  private void sweepKeys() {
    if (advancer != null) {
      advancer.sweep();
    }
  }

  private void unconfirmedWait() {
    scheduler.request(confirm);
  }

  /** Watches listeners and leases; costs nothing while nothing is in flight. */
  public void watch() {
    if (renewer.watch()) {
      scheduler.request(renew);
    }
  }

  /**
   * Looks for due events from its start on.
   *
   * @param polled the store with the connections to claim by; an object for each poller
   */
  public StorePoller poller(
      OutboxStore polled,
      Duration skipRecent,
      int batchSize,
      Duration interval,
      MetricsExporter metrics) {
    EngineConnections stoppable =
        connectionsOf(polled.claimConnections(), config.getNetworkTimeout());
    Claimer claimer = new Claimer(context, stoppable, batchSize, skipRecent, metrics);
    StorePoller poller =
        new StorePoller(
            this, context, wakeups, scheduler, stoppable, claimer, polled, batchSize, interval);
    pollers.add(poller);
    return poller;
  }

  /** Lets events in, or leaves them in the database until {@link DueRun} takes them. */
  public void pause(boolean paused) {
    admission.pause(paused);
    if (!paused) {
      wakeups.now();
    }
  }

  /** The way of published events into the memory of this process. */
  public HotIntake intake() {
    return intake;
  }

  /** What its pollers share. */
  public ClaimContext context() {
    return context;
  }

  OutboxStore outboxStore() {
    return outboxStore;
  }

  @Override
  public boolean handle(Delivery delivery) {
    return handling.handle(delivery);
  }

  @Override
  public boolean handle(DeliveryBatch batch) {
    return handling.handle(batch);
  }

  /** Gives back the lease of an event that did not run. */
  void release(Delivery delivery) {
    admission.release(delivery);
  }

  /** Tells the listener of dead letters, if there is one, of an event that has died. */
  private void died(DeadLetter letter) {
    workers.deaths().give(name, letter);
  }

  /** Wakes its pollers. */
  public Wakeups wakeups() {
    return wakeups;
  }

  @Override
  public boolean isAmongMany() {
    return !name.isEmpty();
  }

  @Override
  public String label() {
    return isAmongMany() ? " store=" + LogText.of(name) : "";
  }

  @Override
  public boolean isInternal(String topic) {
    return workers.isInternal(topic);
  }

  public LeasedEventStore store() {
    return store;
  }

  EngineConnections connections() {
    return connections;
  }

  @Override
  public DatabaseHealth health() {
    return health;
  }

  public InFlight inFlight() {
    return inFlight;
  }

  public CompletionQueue completions() {
    return completions;
  }

  public Completer completer() {
    return completer;
  }

  public void sees(StoreTime time) {
    dueTimes.sees(time);
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

  /** Whether no event of it waits for the answer whether its row survived. */
  boolean isConfirmed() {
    return !intake.confirmer().isWaiting() && !scheduler.isRunning(confirm);
  }

  /** Whether every outcome that there is has been stored. */
  boolean isFlushed() {
    return completions.isEmpty()
        && !scheduler.isRunning(flush)
        && keys.isEmpty()
        && !scheduler.isRunning(advance)
        && inFlight.all().stream().noneMatch(delivery -> delivery.outcome() != null);
  }

  /** Nothing is done here any more, nor reported; the store is closed. */
  void leave(Deadline deadline) throws InterruptedException {
    try {
      List<StoreTask> tasks = List.of(flush, renew, advance);
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
   * A hanging connection must not keep the renewal of all leases waiting until they have expired.
   */
  private static Duration renewerTimeout(OutboxConfig config) {
    long part = Math.max(1, config.getLeaseDuration().toMillis() / 4);
    return Duration.ofMillis(Math.min(part, config.getNetworkTimeout().toMillis()));
  }

  private EngineConnections connectionsOf(ConnectionProvider provider, Duration networkTimeout) {
    return new EngineConnections(provider, health, networkTimeout);
  }

  /** Whether events are still claimed and taken in. */
  public ClaimGate claims() {
    return claims;
  }

  @Override
  public boolean isClosing() {
    return claims.isClosed();
  }
}

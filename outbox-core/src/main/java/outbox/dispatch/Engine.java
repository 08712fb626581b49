package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.PreparedEvent.Wake;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.MetricsExporter;
import outbox.spi.NodeSignal;

/** Wires lanes, workers, completion and leases together, and takes them down in the right order. */
final class Engine {
  private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());
  private static final int COMPLETION_CAPACITY_IN_BATCHES = 8;
  private static final Duration INTERRUPT_GRACE = Duration.ofSeconds(1);
  private static final Duration FINAL_FLUSH_LIMIT = Duration.ofSeconds(5);

  private final OutboxConfig config;
  private final ListenerRegistry listeners;
  private final boolean leasing;
  private final Predicate<String> settledSincePoll;
  private final OwnerTokens tokens;
  private final @Nullable NodeSignal signal;
  private final Outage outage = new Outage();
  private final List<Runnable> onDemand = new CopyOnWriteArrayList<>();
  private final HotDrops drops = new HotDrops();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final ReentrantLock claiming = new ReentrantLock();
  private final CountDownLatch closed = new CountDownLatch(1);

  private final Lanes lanes;
  private final InFlight inFlight;
  private final Settlements settlements;
  private final CompletionQueue completions;
  private final Completer completer;
  private final WorkerPool workers;
  private final LeaseKeeper keeper;
  private final HotConfirmer confirmer;
  private final Thread completerThread;
  private final Thread keeperThread;
  private final Thread confirmerThread;

  Engine(
      OutboxDispatcher.Builder setup, LeasedEventStore store, boolean leasing, OwnerTokens tokens) {
    this.config = setup.config;
    this.listeners = setup.listeners;
    this.leasing = leasing;
    this.settledSincePoll = store instanceof UnleasedStore plain ? plain::isSettled : id -> false;
    this.tokens = tokens;
    this.signal = setup.signal;
    EngineConnections connections = connectionsOf(setup.connectionProvider);
    this.lanes =
        new Lanes(
            config.getHotQueueCapacity(),
            config.getHotQueueBytes(),
            config.getColdQueueCapacity(),
            config.getColdQueueBytes());
    lanes.onColdRoom(this::demand);
    this.inFlight = new InFlight(setup.tracker);
    MetricsExporter metrics = MetricsExporter.quiet(setup.metrics);
    this.settlements = new Settlements(inFlight, metrics, () -> wake(Wake.EVERYBODY));
    int batch = config.getFlushBatchSize();
    this.completions =
        new CompletionQueue(
            config.getFlushInterval(), batch, batch * COMPLETION_CAPACITY_IN_BATCHES);
    this.completer = new Completer(completions, store, connections, outage, tokens, settlements);
    LeaseGate gate = new LeaseGate(store, connections, tokens, config.getLeaseDuration());
    DeliveryRunner runner =
        new DeliveryRunner(
            listeners,
            setup.retryPolicy(),
            config.getRetryMaxAttempts(),
            config,
            metrics,
            store,
            setup.transactions,
            gate::renew);
    ThreadFactory threads =
        config.isVirtualThreads()
            ? EngineThreads.virtual("outbox-worker-")
            : EngineThreads.platform("outbox-worker-");
    this.workers =
        new WorkerPool(
            threads, new Worker(lanes, completions, gate, runner, completer, settlements, outage));
    this.keeper =
        new LeaseKeeper(
            inFlight,
            store,
            keeperConnections(setup.connectionProvider),
            outage,
            tokens,
            config,
            workers::startOne);
    this.confirmer =
        new HotConfirmer(
            config.getHotQueueCapacity(), store, connections, outage, this::acceptConfirmed);

    this.completerThread = EngineThreads.start("outbox-completer", completer);
    this.keeperThread = EngineThreads.start("outbox-leases", keeper);
    this.confirmerThread = EngineThreads.start("outbox-confirmer", confirmer);
    workers.start(config.getDispatcherWorkers());
  }

  /** Decides, before the insert, how the event will reach a worker. */
  PreparedEvent prepareHot(EventEnvelope event, boolean unconfirmed) {
    if (event.dueAt() != null && event.dueAt().isAfter(Instant.now())) {
      return PreparedEvent.left(event, Wake.NOBODY);
    }
    if (isClosing() || listeners.listenersFor(event.eventType()).isEmpty()) {
      return PreparedEvent.left(event, Wake.OTHER_NODES);
    }
    if (unconfirmed && !leasing) {
      return PreparedEvent.left(event, Wake.EVERYBODY);
    }
    if (!lanes.hasHotRoom(event.payloadSize())) {
      return PreparedEvent.dropped(event);
    }
    Lease lease = new Lease(tokens.ofProcess(), config.getLeaseDuration());
    return PreparedEvent.leased(event, lease, unconfirmed);
  }

  boolean enqueueHot(QueuedEvent event) {
    if (event instanceof PreparedEvent prepared) {
      return acceptPrepared(prepared);
    }
    refuseIfClosed();
    return accept(delivery(event), true);
  }

  boolean enqueueCold(QueuedEvent event) {
    refuseIfClosed();
    return accept(delivery(event), false);
  }

  /** False only for an event that was meant for the hot lane and did not get in. */
  private boolean acceptPrepared(PreparedEvent prepared) {
    boolean taken;
    if (prepared.lease() == null) {
      wake(prepared.wake());
      taken = prepared.source() == QueuedEvent.Source.COLD;
    } else {
      Delivery delivery = leased(prepared);
      taken =
          prepared.unconfirmed()
              ? !isClosing() && confirmer.offer(prepared)
              : accept(delivery, true);
      if (!taken) {
        completer.submit(delivery, Outcome.RELEASE);
      }
    }
    if (!taken && !isClosing()) {
      drops.warnOf(prepared);
    }
    return taken;
  }

  private void acceptConfirmed(PreparedEvent prepared) {
    Delivery delivery = leased(prepared);
    if (!accept(delivery, true)) {
      completer.submit(delivery, Outcome.RELEASE);
    }
  }

  /** A duplicate of an event in flight counts as accepted: it is being seen to. */
  private boolean accept(Delivery delivery, boolean hot) {
    if (!inFlight.admit(delivery)) {
      return true;
    }
    if (hot ? lanes.offerHot(delivery) : lanes.offerCold(delivery)) {
      return true;
    }
    inFlight.remove(delivery);
    return false;
  }

  /** Takes a claimed event in; one that does not fit after all is given back. */
  boolean acceptCold(Delivery delivery) {
    if (!inFlight.admit(delivery)) {
      return false;
    }
    // Asked after the admission: whoever ended the event did so before it left the in-flight set.
    if (settledSincePoll.test(delivery.id())) {
      inFlight.remove(delivery);
      return false;
    }
    if (lanes.offerCold(delivery)) {
      return true;
    }
    completer.submit(delivery, Outcome.RELEASE);
    return false;
  }

  /** Ends a claimed event that cannot be delivered. */
  void kill(Delivery delivery, String reason) {
    completer.submit(delivery, new Outcome.Dead(reason, reason));
  }

  private Delivery leased(PreparedEvent prepared) {
    Lease lease = prepared.lease();
    String owner = lease == null ? null : lease.owner();
    return Delivery.of(prepared, new Hold(owner, prepared.deadline()));
  }

  /** Without leases every event of this process counts as held; with them it is claimed first. */
  private Delivery delivery(QueuedEvent event) {
    String owner = leasing ? null : tokens.ofProcess();
    return Delivery.of(event, new Hold(owner, deadlineFrom(System.nanoTime())));
  }

  void wakePollers() {
    wake(Wake.EVERYBODY);
  }

  private void wake(Wake whom) {
    if (whom == Wake.EVERYBODY) {
      demand();
    }
    if (whom != Wake.NOBODY && signal != null) {
      signal.send();
    }
  }

  private void demand() {
    onDemand.forEach(Runnable::run);
  }

  void onDemand(Runnable listener) {
    onDemand.add(listener);
    outage.onRecovery(listener);
    if (signal != null) {
      signal.listen(listener);
    }
  }

  Lanes lanes() {
    return lanes;
  }

  Outage outage() {
    return outage;
  }

  boolean isClosing() {
    return closing.get();
  }

  int coldCapacity() {
    return config.getColdQueueCapacity();
  }

  Duration lease() {
    return config.getLeaseDuration();
  }

  long deadlineFrom(long nanos) {
    return nanos + config.getLeaseDuration().toNanos();
  }

  String claimToken() {
    return leasing ? tokens.ofNextClaim() : tokens.ofProcess();
  }

  EngineConnections connectionsOf(ConnectionProvider provider) {
    return new EngineConnections(provider, outage, config.getNetworkTimeout());
  }

  /**
   * A hanging connection must not keep the renewal of all leases waiting until they have run out.
   */
  private EngineConnections keeperConnections(ConnectionProvider provider) {
    Duration part = config.getLeaseDuration().dividedBy(4);
    Duration limit = config.getNetworkTimeout();
    return new EngineConnections(
        provider, outage, part.compareTo(limit) < 0 ? atLeastOneMilli(part) : limit);
  }

  private static Duration atLeastOneMilli(Duration duration) {
    return duration.toMillis() > 0 ? duration : Duration.ofMillis(1);
  }

  /** Runs a claim so that closing waits for it; none begins once closed. */
  int claiming(IntSupplier claim) {
    claiming.lock();
    try {
      return isClosing() ? 0 : claim.getAsInt();
    } finally {
      claiming.unlock();
    }
  }

  private void awaitClaim() throws InterruptedException {
    if (claiming.tryLock(FINAL_FLUSH_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
      claiming.unlock();
    }
  }

  private void refuseIfClosed() {
    if (isClosing()) {
      throw new IllegalStateException(
          "the dispatcher is closed; the event stays in the database for another node");
    }
  }

  /**
   * Shuts down in this order: no new events; workers work the lanes off until the drain timeout;
   * what is still queued is given back; listeners that still run are interrupted; the last outcomes
   * are stored. A row whose listener does not end is never given back: its lease runs out by
   * itself.
   */
  void close() {
    if (!closing.compareAndSet(false, true)) {
      awaitClosed();
      return;
    }
    boolean interrupted = false;
    try {
      confirmerThread.interrupt();
      interrupted = !await(() -> confirmerThread.join(INTERRUPT_GRACE.toMillis()));
      interrupted |= !await(this::awaitClaim);
      lanes.close();
      interrupted |= !drain();
      lanes.drain().forEach(delivery -> completer.submit(delivery, Outcome.RELEASE));
      confirmer.drain().forEach(event -> completer.submit(leased(event), Outcome.RELEASE));
      inFlight.all().forEach(Delivery::interruptForClose);
      interrupted |= !await(() -> workers.awaitEnd(INTERRUPT_GRACE.toNanos()));
      completions.close();
      interrupted |= !await(() -> completerThread.join(FINAL_FLUSH_LIMIT.toMillis()));
      giveUpRest();
      keeper.stop();
      interrupted |= !await(() -> keeperThread.join(INTERRUPT_GRACE.toMillis()));
    } finally {
      closed.countDown();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean drain() {
    long nanos = workers.isWorker() ? 0 : config.getDrainTimeout().toNanos();
    return await(() -> workers.awaitEnd(nanos));
  }

  private void giveUpRest() {
    if (completerThread.isAlive()) {
      completer.giveUp();
      LOG.log(
          Level.WARNING,
          "closed with outcomes not stored count={0}; their events are delivered again after"
              + " leaseDuration",
          inFlight.size());
    }
  }

  private void awaitClosed() {
    if (!workers.isWorker() && !await(closed::await)) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns false if the wait was interrupted; closing goes on with its next step then. */
  private static boolean await(Interruptible wait) {
    try {
      wait.run();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private interface Interruptible {
    void run() throws InterruptedException;
  }
}

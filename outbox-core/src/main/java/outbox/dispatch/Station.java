package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import outbox.OutboxConfig;
import outbox.dispatch.PreparedEvent.Wake;
import outbox.model.DeadLetter;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.util.LogText;

/**
 * What each database has: its store and connections, whether it answers, the events of it that are
 * in flight, and the way of their outcomes back into it. Has no threads of its own. Thread-safe.
 */
final class Station {
  private volatile StoreTime time = StoreTime.LOCAL;
  private final String name;
  private final Crew crew;
  private final OutboxConfig config;
  private final LeasedEventStore store;
  private final boolean leasing;
  private final Predicate<String> settledSincePoll;
  private final OwnerTokens tokens;
  private final Outage outage;
  private final Demand demand;
  private final List<EngineConnections> claimConnections = new CopyOnWriteArrayList<>();
  private final EngineConnections connections;
  private final EngineConnections keeperConnections;
  private final InFlight inFlight;
  private final CompletionQueue completions;
  private final Completer completer;
  private final Handling handling;
  private final LeaseKeeper keeper;
  private final ClaimGate claims = new ClaimGate();
  private final DueTimes dueTimes = new DueTimes();

  Station(Crew crew, StationParts parts, CompletionQueue completions) {
    this.name = parts.name();
    this.crew = crew;
    this.config = crew.config();
    this.store = parts.store();
    this.leasing = parts.leasing();
    this.settledSincePoll = store instanceof UnleasedStore plain ? plain::isSettled : id -> false;
    this.tokens = parts.tokens();
    MetricsExporter metrics = crew.metrics();
    this.outage = new Outage(name, metrics);
    this.demand = new Demand(outage, parts.signal());
    this.connections = connectionsOf(parts.connections(), config.getNetworkTimeout());
    this.keeperConnections = connectionsOf(parts.connections(), keeperTimeout(config));
    this.inFlight = new InFlight(parts.tracker());
    this.completions = completions;
    Settlements settlements =
        new Settlements(
            inFlight,
            metrics,
            crew.workerLog(),
            () -> demand.wake(Wake.ALL_NODES),
            dueTimes::dueAfter,
            this::died);
    this.completer = new Completer(completions, store, connections, outage, tokens, settlements);
    LeaseGate gate = new LeaseGate(store, connections, tokens, config.getLeaseDuration());
    ProcessRuns runs = ProcessRuns.OF_THIS_JVM;
    inFlight.onRemove(runs::settled);
    Isolation isolation = new Isolation(runs, config.getMaxLeaseExpiries(), this::isClosing);
    DeliveryRunner runner =
        new DeliveryRunner(
            crew.listeners(),
            crew.retries(),
            crew.workerLog(),
            config,
            metrics,
            store,
            parts.transactions(),
            gate::renew,
            crew.propagation(),
            () -> isAmongMany() && outage.isDown());
    this.handling =
        new Handling(
            gate,
            isolation,
            runner,
            completer,
            settlements,
            new DeliveryReports(metrics),
            crew.workerLog(),
            outage,
            isAmongMany());
    this.keeper =
        new LeaseKeeper(
            label(),
            inFlight,
            store,
            keeperConnections,
            outage,
            tokens,
            config,
            () -> {
              isolation.leave();
              crew.replaceWorker();
            });
  }

  /** Queues the event; a duplicate of one in flight counts as accepted: it is being seen to. */
  boolean accept(Delivery delivery, boolean hot) {
    if (!inFlight.admit(delivery.at(this))) {
      return true;
    }
    if (hot ? lanes().offerHot(delivery) : lanes().offerCold(delivery)) {
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
    if (lanes().offerCold(delivery)) {
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
    crew.deaths().give(name, letter);
  }

  /** When events are due that this process has stored for later. */
  DueTimes dueTimes() {
    return dueTimes;
  }

  private boolean isAmongMany() {
    return !name.isEmpty();
  }

  /** For a log line: " store=…", or nothing if there is only one store. */
  String label() {
    return isAmongMany() ? " store=" + LogText.of(name) : "";
  }

  WorkerLog workerLog() {
    return crew.workerLog();
  }

  boolean isInternal(String topic) {
    return crew.isInternal(topic);
  }

  /** Reports how old the eldest event of a claim was. */
  void recordLag(long millis) {
    crew.lag().record(this, millis);
  }

  /** Nothing of this station is reported any more. */
  void forget() {
    outage.forget();
    crew.lag().forget(this);
  }

  LeasedEventStore store() {
    return store;
  }

  EngineConnections connections() {
    return connections;
  }

  Lanes lanes() {
    return crew.lanes();
  }

  Outage outage() {
    return outage;
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

  LeaseKeeper keeper() {
    return keeper;
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

  /** Connections to claim by, which {@link #stopClaiming} ends the waits for. */
  EngineConnections claimConnectionsOf(ConnectionProvider ofClaims) {
    EngineConnections stoppable = connectionsOf(ofClaims, config.getNetworkTimeout());
    claimConnections.add(stoppable);
    return stoppable;
  }

  /** Claims nothing from here on; a claim that waits for a connection ends at once. */
  void stopClaiming() {
    claimConnections.forEach(EngineConnections::stop);
  }

  /** The last step of a shutdown: nothing of this station waits for a connection any more. */
  void stopConnections() {
    outage.close();
    connections.stop();
    keeperConnections.stop();
  }

  /**
   * A hanging connection must not keep the renewal of all leases waiting until they have run out.
   */
  private static Duration keeperTimeout(OutboxConfig config) {
    long part = Math.max(1, config.getLeaseDuration().toMillis() / 4);
    return Duration.ofMillis(Math.min(part, config.getNetworkTimeout().toMillis()));
  }

  private EngineConnections connectionsOf(ConnectionProvider provider, Duration networkTimeout) {
    return new EngineConnections(provider, outage, networkTimeout);
  }

  /** Whether events are still claimed and taken in. */
  ClaimGate claims() {
    return claims;
  }

  boolean isClosing() {
    return claims.isClosed();
  }
}

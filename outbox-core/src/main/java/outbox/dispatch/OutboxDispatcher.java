package outbox.dispatch;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetterListener;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.internal.engine.DueRun;
import outbox.internal.engine.Engine;
import outbox.internal.engine.StoreRuntime;
import outbox.internal.engine.StoreSetup;
import outbox.internal.engine.WorkerRuntime;
import outbox.internal.engine.delivery.StoreTime;
import outbox.internal.engine.health.DatabaseHealth;
import outbox.internal.engine.health.EngineConnections;
import outbox.internal.engine.intake.StorePoller;
import outbox.internal.engine.lease.OwnerTokens;
import outbox.internal.engine.lease.UnleasedStore;
import outbox.internal.engine.schedule.Wake;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.routing.OutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.DueListener;
import outbox.spi.EventStore;
import outbox.spi.HotPath;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.NodeSignal;
import outbox.spi.Propagation;
import outbox.spi.StoreException;
import outbox.spi.TransactionRunner;

/**
 * Runs the listeners of events: hot ones from memory right after their commit, cold ones that a
 * poller found in the database. Runs from its construction until {@link #close}. Thread-safe.
 *
 * <p>Delivery is at least once. While no process crashes and no listener outlives its lease, it is
 * once.
 */
public final class OutboxDispatcher implements HotPath, AutoCloseable {
  private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

  private final Engine engine;
  private final EventStore eventStore;
  private final StoreRuntime runtime;
  private final DueRun dueRun;

  /** The same as {@link #builder} with the settings named. */
  public OutboxDispatcher(
      ConnectionProvider connectionProvider,
      EventStore eventStore,
      ListenerRegistry listenerRegistry,
      InFlightTracker inFlightTracker,
      RetryPolicy retryPolicy,
      int maxAttempts,
      int workerCount,
      int hotQueueCapacity,
      int coldQueueCapacity,
      MetricsExporter metrics) {
    this(
        builder(connectionProvider, eventStore)
            .config(
                new OutboxConfig()
                    .setRetryMaxAttempts(maxAttempts)
                    .setDispatcherWorkers(workerCount)
                    .setHotQueueCapacity(hotQueueCapacity)
                    .setColdQueueCapacity(coldQueueCapacity))
            .listeners(listenerRegistry)
            .inFlightTracker(inFlightTracker)
            .retries(Retries.of(requireNonNull(retryPolicy, "retryPolicy")))
            .metrics(metrics));
  }

  private OutboxDispatcher(Builder setup) {
    setup.config.validate();
    OwnerTokens tokens = new OwnerTokens(setup.node);
    this.eventStore = setup.eventStore;
    boolean leasing = eventStore instanceof LeasedEventStore;
    LeasedEventStore store =
        eventStore instanceof LeasedEventStore leased
            ? leased
            : new UnleasedStore(eventStore, tokens.ofProcess());
    if (!leasing) {
      LOG.log(
          Level.WARNING,
          "plain EventStore without leases store={0}; run one node only, and use a TxContext that"
              + " sees rollbacks to savepoints: with any other one, an event of a savepoint that was"
              + " rolled back is delivered; a LeasedEventStore has neither limit",
          eventStore.getClass().getName());
    }
    StoreTime time = checkStore(setup.connectionProvider, store);
    WorkerRuntime workers =
        new WorkerRuntime(setup.config, setup.listeners, setup.topicRetries(), setup.metrics);
    workers.onDead(setup.onDead);
    workers.propagating(setup.propagation);
    this.engine = Engine.ofOne(workers);
    this.runtime =
        engine.runtime(
            new StoreSetup(
                "",
                storeOf(setup, store),
                leasing,
                tokens,
                setup.tracker::tryAcquire,
                setup.tracker::release,
                setup.signal));
    engine.serve(runtime);
    runtime.sees(time);
    workers.backpressure(runtime.completions()::awaitRoom);
    this.dueRun = new DueRun(workers, runtime);
    engine.start();
  }

  private static OutboxStore storeOf(Builder setup, LeasedEventStore events) {
    OutboxStore.Builder store = OutboxStore.builder("outbox", setup.connectionProvider, events);
    if (setup.transactions != null) {
      store.transactions(setup.transactions);
    }
    return store.build();
  }

  /**
   * A database that is down may come back; one that this store cannot work with stops the start.
   *
   * @return the store's time, if it could be asked
   */
  private static StoreTime checkStore(ConnectionProvider provider, LeasedEventStore store) {
    DatabaseHealth health = new DatabaseHealth("", MetricsExporter.NOOP);
    try {
      return new EngineConnections(provider, health, Duration.ofSeconds(10))
          .call("check", connection -> StoreTime.ofChecked(store, connection));
    } catch (StoreException e) {
      LOG.log(
          Level.WARNING,
          "database cannot be checked at the start; continuing without the check",
          e);
      return StoreTime.LOCAL;
    }
  }

  /** Everything but the two has a default. */
  public static Builder builder(ConnectionProvider connectionProvider, EventStore eventStore) {
    return new Builder(connectionProvider, eventStore);
  }

  @Override
  public Prepared prepareHot(EventEnvelope event, boolean mayVanish) {
    return runtime.intake().prepareHot(event, mayVanish);
  }

  @Override
  public List<Prepared> prepareHot(Collection<EventEnvelope> events, boolean mayVanish) {
    return runtime.intake().prepareHot(events, mayVanish);
  }

  @Override
  public Prepared behind(Prepared event) {
    return runtime.intake().behind(event);
  }

  @Override
  public boolean enqueueHot(Prepared event) {
    return runtime.intake().enqueueHot(event);
  }

  /**
   * Queues an event for delivery before all cold ones.
   *
   * @return false if there was no room; the event then stays in the database for the poller
   * @throws IllegalStateException if the dispatcher is closed
   */
  public boolean enqueueHot(QueuedEvent event) {
    requireNonNull(event, "event");
    return runtime.intake().enqueue(event.envelope(), event.attempts(), true);
  }

  @Override
  public boolean confirmHot(Prepared event) {
    return runtime.intake().confirmHot(event);
  }

  /**
   * Queues an event for delivery after the hot ones.
   *
   * @return false if there was no room; the event then stays in the database for the poller
   * @throws IllegalStateException if the dispatcher is closed
   */
  public boolean enqueueCold(QueuedEvent event) {
    requireNonNull(event, "event");
    return runtime.intake().enqueue(event.envelope(), event.attempts(), false);
  }

  /** Returns whether the cold lane has room for one more event. */
  public boolean hasColdQueueCapacity() {
    return engine.workers().lanes().coldRoom() > 0;
  }

  /** Lets the pollers of this and of other nodes look now: something due has been committed. */
  public void wakePollers() {
    runtime.wakeups().now(Wake.ALL_NODES);
  }

  /** Lets the poller of this node look when something is due that was committed for later. */
  public DueListener dueListener() {
    return runtime.wakeups();
  }

  /**
   * Leaves published events and due ones in the database until {@link #resume}; what is queued
   * already still runs. Other nodes continue. {@link #runDue} works meanwhile: together they let a
   * test or a job decide when listeners run.
   */
  public void pause() {
    runtime.pause(true);
  }

  /** Ends {@link #pause}; pollers look at once. Without a pause it only wakes them. */
  public void resume() {
    runtime.pause(false);
  }

  /**
   * Handles what is due now, and what that leaves due, on the workers, and waits for it. Returns
   * once this dispatcher holds no event, every outcome is stored, {@code onDead} has been told, and
   * a claim finds nothing due. Events that are due later, such as retries, stay. Needs no poller.
   *
   * @param limit how long to wait at the most
   * @return how many events it claimed, beside those that came from memory
   * @throws TimeoutException if the limit is over first
   * @throws IllegalStateException if a listener calls it
   */
  public int runDue(Duration limit) throws InterruptedException, TimeoutException {
    return dueRun.run(requireNonNull(limit, "limit"));
  }

  /** Whether this is the store that the dispatcher was made with. */
  public boolean uses(EventStore eventStore) {
    return eventStore == this.eventStore;
  }

  /** What an {@code OutboxPoller} is made of; not for applications, which cannot name its type. */
  @SuppressWarnings("exports")
  public StorePoller poller(
      ConnectionProvider connectionProvider,
      EventStore eventStore,
      Duration skipRecent,
      int batchSize,
      Duration interval,
      MetricsExporter metrics) {
    if (runtime.isClosing()) {
      throw new IllegalStateException("the dispatcher is closed; make a new one");
    }
    if (!uses(eventStore)) {
      throw new IllegalArgumentException(
          "eventStore must be the dispatcher's own: it stores what becomes of the claimed events");
    }
    OutboxStore polled = OutboxStore.builder("outbox", connectionProvider, runtime.store()).build();
    return runtime.poller(polled, skipRecent, batchSize, interval, metrics);
  }

  /**
   * Stops taking events, works off what is queued until the drain timeout, gives the rest back, and
   * stores every outcome. Blocks until then; with a database that does not answer, for the close
   * timeout at the most. Closing twice is harmless.
   */
  @Override
  public void close() {
    if (engine.beginClose()) {
      engine.close(List.of(runtime));
    }
  }

  /** Collects the parts of a dispatcher. Not thread-safe. */
  public static final class Builder {
    final ConnectionProvider connectionProvider;
    final EventStore eventStore;
    OutboxConfig config = new OutboxConfig();
    ListenerRegistry listeners = new DefaultListenerRegistry();
    InFlightTracker tracker = new DefaultInFlightTracker();
    MetricsExporter metrics = MetricsExporter.NOOP;
    String node = "pid" + ProcessHandle.current().pid();
    Propagation propagation = Propagation.NONE;
    @Nullable TransactionRunner transactions;
    @Nullable NodeSignal signal;
    @Nullable DeadLetterListener onDead;
    private @Nullable Retries retries;
    private final Map<String, Retries> retriesByTopic = new HashMap<>();

    private Builder(ConnectionProvider connectionProvider, EventStore eventStore) {
      this.connectionProvider = requireNonNull(connectionProvider, "connectionProvider");
      this.eventStore = requireNonNull(eventStore, "eventStore");
    }

    /** All numbers and durations; copied. */
    public Builder config(OutboxConfig config) {
      this.config = requireNonNull(config, "config").copy();
      return this;
    }

    /** Sets the listeners of the events. */
    public Builder listeners(ListenerRegistry listeners) {
      this.listeners = requireNonNull(listeners, "listenerRegistry");
      return this;
    }

    /** Sets what keeps this process from handling an event twice at once. */
    public Builder inFlightTracker(InFlightTracker tracker) {
      this.tracker = requireNonNull(tracker, "inFlightTracker");
      return this;
    }

    /** How failed events are tried again, instead of by the settings of the configuration. */
    public Builder retries(Retries retries) {
      this.retries = requireNonNull(retries, "retries");
      return this;
    }

    /** Sets how failed events of one topic are tried again. */
    public Builder retries(String topic, Retries retries) {
      retriesByTopic.put(TopicRetries.checkedTopic(topic), requireNonNull(retries, "retries"));
      return this;
    }

    /** Sets what counts the deliveries; nothing by default. */
    public Builder metrics(MetricsExporter metrics) {
      this.metrics = requireNonNull(metrics, "metrics");
      return this;
    }

    /** A name of this process for owner tokens and {@code processed_by}; cut to 20 characters. */
    public Builder node(String node) {
      this.node = OwnerTokens.checkedNode(node);
      return this;
    }

    /** What goes with each event from its publisher to its listeners; nothing by default. */
    public Builder propagation(Propagation propagation) {
      this.propagation = requireNonNull(propagation, "propagation");
      return this;
    }

    /** Lets transactional listeners run. */
    public Builder transactions(TransactionRunner transactions) {
      this.transactions = requireNonNull(transactions, "transactions");
      return this;
    }

    /** Told of the events that end DEAD in this process, after the database has it. */
    public Builder onDead(DeadLetterListener listener) {
      this.onDead = requireNonNull(listener, "listener");
      return this;
    }

    /** Wakes, and is woken by, the pollers of other nodes. The code that made it closes it. */
    public Builder signal(NodeSignal signal) {
      this.signal = requireNonNull(signal, "signal");
      return this;
    }

    TopicRetries topicRetries() {
      return new TopicRetries(config, retries, retriesByTopic);
    }

    /**
     * Starts the dispatcher.
     *
     * @throws IllegalStateException if settings contradict each other or the store cannot work with
     *     the database
     */
    public OutboxDispatcher build() {
      return new OutboxDispatcher(this);
    }
  }
}

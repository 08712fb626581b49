package outbox.dispatch;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetterListener;
import outbox.OutboxConfig;
import outbox.internal.engine.Engine;
import outbox.internal.engine.ServedStores;
import outbox.internal.engine.StoreSetup;
import outbox.internal.engine.WorkerRuntime;
import outbox.internal.engine.lease.OwnerTokens;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.routing.OutboxRouter;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.OutboxStore;
import outbox.routing.OutboxStoreProvider;
import outbox.routing.RoundRobinOutboxSelectionStrategy;
import outbox.spi.DueListener;
import outbox.spi.HotPath;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;

/**
 * Serves many stores with one set of workers and a bounded number of connections. Outcomes and
 * leases go before new claims, databases that fail are tried by a few connections only, and idle
 * ones are looked into ever more rarely. Runs from its construction until {@link #close}.
 * Thread-safe.
 */
public final class MultiOutboxDispatcher implements AutoCloseable {
  /** Tasks that run at once, each on one connection, unless set otherwise: {@value}. */
  public static final int DEFAULT_MAX_CONNECTIONS = 8;

  /** Messages claimed by one statement, unless the configuration sets it: {@value}. */
  public static final int DEFAULT_BATCH_SIZE = 50;

  private final ServedStores stores;

  private MultiOutboxDispatcher(Builder setup) {
    setup.config.defaultPollerBatchSize(DEFAULT_BATCH_SIZE).validate();
    WorkerRuntime workers =
        new WorkerRuntime(setup.config, setup.listeners, setup.topicRetries(), setup.metrics);
    workers.onDead(setup.onDead);
    workers.propagating(setup.propagation);
    Engine engine = Engine.ofMany(workers, setup.strategy, setup.maxConnections);
    this.stores = new ServedStores(setup.provider, setup::parts, engine);
    engine.start();
  }

  /** Everything but the provider has a default. The dispatcher closes it, and its stores. */
  public static Builder builder(OutboxStoreProvider provider) {
    return new Builder(provider);
  }

  /** Finds the outbox of each store by the store's identifier. */
  public OutboxRouter router() {
    return stores;
  }

  /**
   * The store with this identifier, for those who write to it by themselves.
   *
   * @throws IllegalStateException if there is none
   */
  public OutboxStore store(String key) {
    return stores.get(key).store();
  }

  /** The stores that are served now; those of a discovery come and go. */
  public List<OutboxStore> stores() {
    return stores.stores();
  }

  /**
   * Looks for due events in the store with this identifier, because some were written.
   *
   * @throws IllegalStateException if there is none
   */
  public void wake(String key) {
    stores.get(key).runtime().wakeups().now();
  }

  /**
   * The way into memory for what is written to the store with this identifier.
   *
   * @throws IllegalStateException if there is none
   */
  public HotPath hotPath(String key) {
    return stores.get(key).runtime().intake();
  }

  /**
   * Looks into the store with this identifier when something is due that was written for later.
   *
   * @throws IllegalStateException if there is none
   */
  public DueListener dueListener(String key) {
    return stores.get(key).runtime().wakeups();
  }

  /**
   * Stops claiming, works off what is queued until the drain timeout, gives the rest back, stores
   * every outcome and closes the stores. Blocks until then. Closing twice is harmless.
   */
  @Override
  public void close() {
    stores.close();
  }

  /** Collects the parts of a dispatcher. Not thread-safe. */
  public static final class Builder {
    final OutboxStoreProvider provider;
    OutboxConfig config = new OutboxConfig();
    ListenerRegistry listeners = new DefaultListenerRegistry();
    MetricsExporter metrics = MetricsExporter.NOOP;
    OutboxSelectionStrategy strategy = new RoundRobinOutboxSelectionStrategy();
    String node = "pid" + ProcessHandle.current().pid();
    int maxConnections = DEFAULT_MAX_CONNECTIONS;
    Propagation propagation = Propagation.NONE;
    @Nullable DeadLetterListener onDead;
    private @Nullable Retries retries;
    private final Map<String, Retries> retriesByTopic = new HashMap<>();

    private Builder(OutboxStoreProvider provider) {
      this.provider = requireNonNull(provider, "provider");
    }

    /** All numbers and durations; copied. */
    public Builder config(OutboxConfig config) {
      this.config = requireNonNull(config, "config").copy();
      return this;
    }

    /** Sets the listeners of the events of all databases. */
    public Builder listeners(ListenerRegistry listeners) {
      this.listeners = requireNonNull(listeners, "listeners");
      return this;
    }

    /** Sets what counts the deliveries; nothing by default. */
    public Builder metrics(MetricsExporter metrics) {
      this.metrics = requireNonNull(metrics, "metrics");
      return this;
    }

    /** Which store is claimed from next; round-robin by default. Not to be shared. */
    public Builder strategy(OutboxSelectionStrategy strategy) {
      this.strategy = requireNonNull(strategy, "strategy");
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

    /** Told of the events that end DEAD in this process, after the database has it. */
    public Builder onDead(DeadLetterListener listener) {
      this.onDead = requireNonNull(listener, "listener");
      return this;
    }

    /** What goes with each event from its producer to its listeners; nothing by default. */
    public Builder propagation(Propagation propagation) {
      this.propagation = requireNonNull(propagation, "propagation");
      return this;
    }

    /** A name of this process for owner tokens and {@code processed_by}; cut to 20 characters. */
    public Builder node(String node) {
      this.node = OwnerTokens.checkedNode(node);
      return this;
    }

    /** Connections that claims, outcomes and renewals of all stores use at once; at least 2. */
    public Builder maxConnections(int maxConnections) {
      if (maxConnections < 2) {
        throw new IllegalArgumentException(
            "maxConnections ("
                + maxConnections
                + ") must be at least 2: one for claims, one for outcomes and leases");
      }
      this.maxConnections = maxConnections;
      return this;
    }

    private StoreSetup parts(String name, OutboxStore store) {
      InFlightTracker tracker = new DefaultInFlightTracker();
      return new StoreSetup(
          name, store, true, new OwnerTokens(node), tracker::tryAcquire, tracker::release, null);
    }

    TopicRetries topicRetries() {
      return new TopicRetries(config, retries, retriesByTopic);
    }

    /**
     * Starts the dispatcher. A store whose database is down or has no schema does not stop the
     * start: it is tried again until it answers.
     *
     * @throws IllegalStateException if settings contradict each other
     */
    public MultiOutboxDispatcher start() {
      return new MultiOutboxDispatcher(this);
    }
  }
}

package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxConfig;
import outbox.OutboxHandler;
import outbox.TransactionalEventListener;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.jdbc.ConnectionBound.User;
import outbox.registry.DefaultListenerRegistry;
import outbox.routing.OutboxDatabase;
import outbox.routing.OutboxDatabaseDiscovery;
import outbox.routing.OutboxRouter;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.OutboxStore;
import outbox.routing.OutboxStoreProvider;
import outbox.routing.RoundRobinOutboxSelectionStrategy;
import outbox.spi.MetricsExporter;

/**
 * The outboxes of many databases in one process: one set of workers, one bounded set of
 * connections, and a router that finds the outbox of a tenant. Thread-safe.
 *
 * <pre>{@code
 * try (JdbcOutboxes outboxes = JdbcOutboxes.builder()
 *     .discovery(() -> tenants.databases())
 *     .maxConnections(40)
 *     .handler(new OrderHandler())
 *     .start()) {
 *   outboxes.getOutbox("tenant-7").enqueue("order.created", json);
 * }
 * }</pre>
 */
public final class JdbcOutboxes implements OutboxRouter, AutoCloseable {
  /** Connections to all databases together unless set otherwise: {@value}. */
  public static final int DEFAULT_MAX_CONNECTIONS = 8;

  /** How long an enqueue waits for one of the connections unless set otherwise. */
  public static final Duration DEFAULT_CONNECTION_TIMEOUT = Duration.ofSeconds(5);

  private static final int LEAST_CONNECTIONS = 3;
  private static final int BATCH_SIZE = 50;
  private static final Duration NETWORK_TIMEOUT = Duration.ofSeconds(5);

  private final SharedConnections connections;
  private final MultiOutboxDispatcher dispatcher;

  private JdbcOutboxes(Builder setup) {
    this.connections = new SharedConnections(setup.maxConnections);
    MultiOutboxDispatcher.Builder builder =
        MultiOutboxDispatcher.builder(provider(setup))
            .config(setup.config)
            .listeners(setup.listeners)
            .metrics(setup.metrics)
            .strategy(setup.strategy)
            .maxConnections(ConnectionBound.share(setup.maxConnections));
    if (setup.retries != null) {
      builder.retries(setup.retries);
    }
    setup.retriesByTopic.forEach(builder::retries);
    if (setup.node != null) {
      builder.node(setup.node);
    }
    this.dispatcher = builder.start();
  }

  private OutboxStoreProvider provider(Builder setup) {
    OutboxDatabaseDiscovery discovery = setup.discovery;
    return discovery == null
        ? OutboxStoreProvider.of(
            setup.databases.stream().map(database -> store(setup, database)).toList())
        : OutboxStoreProvider.discovered(
            discovery, setup.discoveryInterval, database -> store(setup, database));
  }

  private OutboxStore store(Builder setup, OutboxDatabase configured) {
    JdbcOutboxRepository events = setup.stores.get();
    TenantDatabase database =
        new TenantDatabase(
            configured,
            events,
            setup.createSchema,
            setup.config.getNetworkTimeout(),
            connections.openings());
    Duration limit = setup.connectionTimeout;
    Duration patience = setup.config.getNetworkTimeout();
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    return OutboxStore.builder(
            configured.identifier(),
            () -> connections.borrow(database, User.UPKEEP, patience),
            events)
        .claimConnections(() -> connections.borrow(database, User.CLAIM, patience))
        .applicationConnections(() -> connections.borrow(database, User.APPLICATION, limit))
        .txContext(txContext)
        .transactions(
            new JdbcTransactionManager(
                () -> connections.borrow(database, User.APPLICATION, limit), txContext))
        .onClose(
            () -> {
              database.close();
              connections.forget(database);
            })
        .build();
  }

  MultiOutboxDispatcher dispatcher() {
    return dispatcher;
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public Outbox getOutbox(String key) {
    return dispatcher.router().getOutbox(key);
  }

  /**
   * Drains all databases, stores the last outcomes and closes every connection. Closing twice is
   * harmless.
   */
  @Override
  public void close() {
    dispatcher.close();
    connections.close();
  }

  /** Collects databases, handlers and settings. Not thread-safe. */
  public static final class Builder {
    private final List<OutboxDatabase> databases = new ArrayList<>();
    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private OutboxConfig config =
        new OutboxConfig().setPollerBatchSize(BATCH_SIZE).setNetworkTimeout(NETWORK_TIMEOUT);
    private Supplier<JdbcOutboxRepository> stores = JdbcOutboxRepository::new;
    private OutboxSelectionStrategy strategy = new RoundRobinOutboxSelectionStrategy();
    private MetricsExporter metrics = MetricsExporter.NOOP;
    private Duration discoveryInterval = OutboxDatabaseDiscovery.DEFAULT_INTERVAL;
    private Duration connectionTimeout = DEFAULT_CONNECTION_TIMEOUT;
    private int maxConnections = DEFAULT_MAX_CONNECTIONS;
    private boolean createSchema;
    private @Nullable OutboxDatabaseDiscovery discovery;
    private @Nullable Retries retries;
    private final Map<String, Retries> retriesByTopic = new HashMap<>();
    private @Nullable String node;

    private Builder() {}

    /** A database behind a data source, which should open plain connections and not pool them. */
    public Builder database(String identifier, DataSource dataSource) {
      databases.add(OutboxDatabase.of(identifier, dataSource));
      return this;
    }

    public Builder database(String identifier, String url, String user, String password) {
      databases.add(OutboxDatabase.of(identifier, url, user, password));
      return this;
    }

    public Builder databases(Collection<OutboxDatabase> databases) {
      this.databases.addAll(databases);
      return this;
    }

    /** Databases that are looked for now and then, instead of a fixed number of them. */
    public Builder discovery(OutboxDatabaseDiscovery discovery) {
      this.discovery = requireNonNull(discovery, "discovery");
      return this;
    }

    /** How often they are looked for; every 5 minutes by default. */
    public Builder discoveryInterval(Duration discoveryInterval) {
      this.discoveryInterval = requireNonNull(discoveryInterval, "discoveryInterval");
      return this;
    }

    /**
     * Connections to all databases together, of engine and application; at least 3. Each of the two
     * leaves a quarter of them to the other.
     */
    public Builder maxConnections(int maxConnections) {
      if (maxConnections < LEAST_CONNECTIONS) {
        throw new IllegalArgumentException(
            "maxConnections (" + maxConnections + ") must be at least " + LEAST_CONNECTIONS);
      }
      this.maxConnections = maxConnections;
      return this;
    }

    /** How long an enqueue waits for one of the connections before it fails. */
    public Builder connectionTimeout(Duration connectionTimeout) {
      if (requireNonNull(connectionTimeout, "connectionTimeout").isNegative()) {
        throw new IllegalArgumentException(
            "connectionTimeout (" + connectionTimeout + ") must not be negative");
      }
      this.connectionTimeout = connectionTimeout;
      return this;
    }

    /** Handles the messages of its topic from every database. */
    public Builder handler(OutboxHandler handler) {
      listeners.register(handler);
      return this;
    }

    public Builder listener(String eventType, EventListener listener) {
      listeners.register(eventType, listener);
      return this;
    }

    /** A listener whose writes commit together with the completion, in the event's database. */
    public Builder transactionalListener(String eventType, TransactionalEventListener listener) {
      listeners.registerTransactional(eventType, listener);
      return this;
    }

    /** A listener of every event, run after those of the event's own type. */
    public Builder listenerOfAll(EventListener listener) {
      listeners.registerAll(listener);
      return this;
    }

    /**
     * All numbers and durations; copied. Unless given, batches of 50 are claimed and a database has
     * 5 seconds to answer.
     */
    public Builder config(OutboxConfig config) {
      this.config = requireNonNull(config, "config").copy();
      return this;
    }

    /** Makes the store of each database, to set another table or other options. */
    public Builder stores(Supplier<JdbcOutboxRepository> stores) {
      this.stores = requireNonNull(stores, "stores");
      return this;
    }

    /** Which database is claimed from next; round-robin by default. */
    public Builder strategy(OutboxSelectionStrategy strategy) {
      this.strategy = requireNonNull(strategy, "strategy");
      return this;
    }

    public Builder metrics(MetricsExporter metrics) {
      this.metrics = requireNonNull(metrics, "metrics");
      return this;
    }

    /** How failed events are tried again, instead of by the settings of the configuration. */
    public Builder retries(Retries retries) {
      this.retries = requireNonNull(retries, "retries");
      return this;
    }

    /** The same for one topic, or event type. */
    public Builder retries(String topic, Retries retries) {
      retriesByTopic.put(requireNonNull(topic, "topic"), requireNonNull(retries, "retries"));
      return this;
    }

    /** A name of this process for owner tokens and {@code processed_by}. */
    public Builder node(String node) {
      this.node = requireNonNull(node, "node");
      return this;
    }

    /** Creates what is missing of the schema when a database is first connected; off by default. */
    public Builder createSchema() {
      this.createSchema = true;
      return this;
    }

    /**
     * Starts everything. A database that is down or has no schema does not stop the start: it is
     * tried again until it answers.
     *
     * @throws IllegalStateException if settings contradict each other
     */
    public JdbcOutboxes start() {
      if (discovery == null && databases.isEmpty()) {
        throw new IllegalStateException("no database; give some by database(…) or discovery(…)");
      }
      if (discovery != null && !databases.isEmpty()) {
        throw new IllegalStateException(
            "both "
                + databases.size()
                + " databases and a discovery were given; let the discovery return them all");
      }
      config.validate();
      return new JdbcOutboxes(this);
    }
  }
}

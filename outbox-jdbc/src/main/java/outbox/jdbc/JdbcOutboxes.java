package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxHandler;
import outbox.Retention;
import outbox.TransactionalEventListener;
import outbox.TransactionalOutboxHandler;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.internal.retention.EventRetention;
import outbox.internal.retention.Housekeeper;
import outbox.internal.util.Deadline;
import outbox.jdbc.internal.pool.ConnectionBound;
import outbox.jdbc.internal.pool.ConnectionBound.User;
import outbox.jdbc.internal.pool.SharedConnections;
import outbox.jdbc.internal.pool.TenantDatabase;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.routing.OutboxDatabase;
import outbox.routing.OutboxDatabaseDiscovery;
import outbox.routing.OutboxRouter;
import outbox.routing.OutboxStore;
import outbox.routing.OutboxStoreProvider;
import outbox.spi.Chore;
import outbox.spi.ConnectionProvider;
import outbox.spi.TransactionRunner;

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

  private final SharedConnections connections;
  private final Housekeeper housekeeper;
  private final Duration closeTimeout;
  private final MultiOutboxDispatcher dispatcher;

  /**
   * Starts everything.
   *
   * @param tables makes the store of each database
   * @param joins those of all databases; null if there are none
   */
  JdbcOutboxes(
      DatabasesBuilder<?> setup,
      ListenerRegistry listeners,
      Supplier<JdbcOutboxRepository> tables,
      @Nullable TenantJoins joins) {
    setup.check();
    this.connections = new SharedConnections(setup.maxConnections);
    this.housekeeper = new Housekeeper(setup.retention);
    this.closeTimeout = setup.config.getCloseTimeout();
    MultiOutboxDispatcher.Builder builder =
        MultiOutboxDispatcher.builder(provider(setup, tables, joins))
            .config(setup.config)
            .listeners(listeners)
            .metrics(setup.metrics)
            .propagation(setup.propagation)
            .strategy(setup.strategy)
            .maxConnections(ConnectionBound.share(setup.maxConnections));
    if (setup.retries != null) {
      builder.retries(setup.retries);
    }
    setup.retriesByTopic.forEach(builder::retries);
    if (setup.node != null) {
      builder.node(setup.node);
    }
    if (setup.onDead != null) {
      builder.onDead(setup.onDead);
    }
    this.dispatcher = builder.start();
  }

  private OutboxStoreProvider provider(
      DatabasesBuilder<?> setup,
      Supplier<JdbcOutboxRepository> tables,
      @Nullable TenantJoins joins) {
    OutboxDatabaseDiscovery discovery = setup.discovery;
    Function<OutboxDatabase, OutboxStore> store =
        database -> store(setup, database, tables.get(), joins);
    return discovery == null
        ? OutboxStoreProvider.of(setup.databases.stream().map(store).toList())
        : OutboxStoreProvider.discovered(discovery, setup.discoveryInterval, store);
  }

  private OutboxStore store(
      DatabasesBuilder<?> setup,
      OutboxDatabase configured,
      JdbcOutboxRepository plain,
      @Nullable TenantJoins joins) {
    JdbcOutboxRepository tables = joins == null ? plain : joins.beside(plain);
    TenantDatabase database =
        new TenantDatabase(
            configured,
            setup.createSchema ? tables::deploySchema : null,
            setup.config.getNetworkTimeout(),
            connections.attempts());
    Duration limit = setup.connectionTimeout;
    Duration patience = setup.config.getNetworkTimeout();
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    ConnectionProvider claims = () -> connections.borrow(database, User.CLAIM, patience);
    ConnectionProvider application = () -> connections.borrow(database, User.APPLICATION, limit);
    JdbcJoins counted =
        joins == null ? null : joins.add(tables, application, txContext, setup.codec);
    JdbcOutboxRepository events = counted == null ? tables : counted.events();
    List<Chore> chores = new ArrayList<>();
    chores.add(new EventRetention(configured.identifier(), claims, events, setup.retention));
    OutboxStore.Builder store =
        OutboxStore.builder(
                configured.identifier(),
                () -> connections.borrow(database, User.UPKEEP, patience),
                events)
            .claimConnections(claims)
            .applicationConnections(application)
            .txContext(txContext)
            .codec(setup.codec)
            .transactions(
                setup.transactions != null
                    ? setup.transactions.apply(configured.identifier())
                    : new JdbcTransactionManager(application, txContext));
    if (counted != null) {
      store.joins(counted.coordinator(), counted::onDue);
      chores.add(counted.housekeeping(claims, setup.retention.joins()));
    }
    chores.forEach(housekeeper::add);
    return store
        .onClose(
            () -> {
              chores.forEach(housekeeper::remove);
              if (joins != null && counted != null) {
                joins.remove(counted);
              }
              database.close();
              connections.forget(database);
            })
        .build();
  }

  /**
   * The transactions of a database, found again for each: databases come and go.
   *
   * @param key the identifier of the database
   */
  TransactionRunner transactions(String key) {
    return work -> requireNonNull(dispatcher.store(key).transactions(), "transactions").run(work);
  }

  MultiOutboxDispatcher dispatcher() {
    return dispatcher;
  }

  /** Starts a builder; name at least one database or a discovery. */
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
    Deadline deadline = Deadline.in(closeTimeout);
    housekeeper.stop();
    dispatcher.close();
    housekeeper.close(deadline);
    connections.close();
  }

  /** Collects databases, handlers and settings. Not thread-safe. */
  public static final class Builder extends DatabasesBuilder<Builder>
      implements PayloadListeners<Builder> {
    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private Supplier<JdbcOutboxRepository> stores = JdbcOutboxRepository::new;
    private @Nullable Supplier<JdbcJoinStore> joins;

    private Builder() {
      super(Retention.ofOutbox());
    }

    @Override
    Builder self() {
      return this;
    }

    /** Handles the messages of its topic from every database. */
    @Override
    public Builder handler(OutboxHandler handler) {
      listeners.register(handler);
      return this;
    }

    /** Adds a handler of its topic that works in the transaction which completes the message. */
    public Builder transactionalHandler(TransactionalOutboxHandler handler) {
      listeners.register(handler);
      return this;
    }

    @Override
    public Builder listener(String eventType, EventListener listener) {
      listeners.register(eventType, listener);
      return this;
    }

    /**
     * A listener under a name of its own, by which a failed event keeps what became of it. Unique
     * among the listeners of the type; to be kept from release to release.
     */
    @Override
    public Builder listener(String eventType, String name, EventListener listener) {
      listeners.register(eventType, name, listener);
      return this;
    }

    /** A listener whose writes commit together with the completion, in the event's database. */
    @Override
    public Builder transactionalListener(String eventType, TransactionalEventListener listener) {
      listeners.registerTransactional(eventType, listener);
      return this;
    }

    /** A transactional listener under a name of its own. */
    @Override
    public Builder transactionalListener(
        String eventType, String name, TransactionalEventListener listener) {
      listeners.registerTransactional(eventType, name, listener);
      return this;
    }

    /** A listener of every event, run after those of the event's own type. */
    public Builder listenerOfAll(EventListener listener) {
      listeners.registerAll(listener);
      return this;
    }

    /** A listener of every event under a name of its own. */
    public Builder listenerOfAll(String name, EventListener listener) {
      listeners.registerAll(name, listener);
      return this;
    }

    /** Makes the store of each database, to set another table or other options. */
    public Builder stores(Supplier<JdbcOutboxRepository> stores) {
      this.stores = requireNonNull(stores, "stores");
      return this;
    }

    /** Counts the joins of each database and handles what waits for them; off by default. */
    public Builder joins() {
      return joins(JdbcJoinStore::new);
    }

    /**
     * Counts joins in other tables than the default ones, or with another wait topic. The tables
     * are beside the table of the events, whatever the store says.
     *
     * @param joins makes the store of the joins of each database
     */
    public Builder joins(Supplier<JdbcJoinStore> joins) {
      this.joins = requireNonNull(joins, "joins");
      return this;
    }

    private @Nullable TenantJoins tenantJoins() {
      if (joins == null) {
        return null;
      }
      TenantJoins all = new TenantJoins(joins);
      all.beside(stores.get()); // refuses a store that excludes joins
      listeners.register(all);
      return all;
    }

    /**
     * Starts everything. A database that is down or has no schema does not stop the start: it is
     * tried again until it answers.
     *
     * @throws IllegalStateException if settings contradict each other
     */
    public JdbcOutboxes start() {
      return new JdbcOutboxes(this, listeners, stores, tenantJoins());
    }
  }
}

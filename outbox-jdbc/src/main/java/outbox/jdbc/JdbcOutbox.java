package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.EventType;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.OutboxHandler;
import outbox.TransactionalEventListener;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.RetryPolicy;
import outbox.join.JoinCoordinator;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.StoreException;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

/**
 * A whole outbox on one {@code DataSource}: transactions, client, dispatcher and poller, wired and
 * started. Thread-safe; close it before the data source.
 *
 * <pre>{@code
 * try (JdbcOutbox outbox = JdbcOutbox.builder(dataSource)
 *     .createSchema()
 *     .listener("OrderPlaced", event -> broker.send(event.eventId(), event.payloadJson()))
 *     .start()) {
 *   outbox.inTransaction(connection -> {
 *     orders.insert(connection, order);
 *     outbox.publish(EventEnvelope.ofJson("OrderPlaced", order.toJson()));
 *   });
 * }
 * }</pre>
 */
public final class JdbcOutbox implements AutoCloseable {
  private final JdbcTransactionManager transactions;
  private final OutboxClient client;
  private final Outbox outbox;
  private final OutboxDispatcher dispatcher;
  private final @Nullable OutboxPoller poller;
  private final @Nullable PostgresNodeSignal signal;
  private final @Nullable JdbcJoins joins;

  private JdbcOutbox(Builder setup) {
    OutboxConfig config = setup.config;
    ConnectionProvider connections = new DataSourceConnectionProvider(setup.dataSource);
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    if (setup.createSchema) {
      setup.schema().deploy();
    }
    this.joins = setup.joinStore == null ? null : new JdbcJoins(setup, connections, txContext);
    JdbcOutboxRepository store = joins == null ? setup.store : joins.events();
    this.transactions = new JdbcTransactionManager(connections, txContext);
    OutboxDispatcher.Builder builder =
        OutboxDispatcher.builder(connections, store)
            .config(config)
            .listeners(setup.listeners)
            .metrics(setup.metrics)
            .transactions(transactions);
    if (setup.node != null) {
      builder.node(setup.node);
    }
    if (setup.retryPolicy != null) {
      builder.retryPolicy(setup.retryPolicy);
    }
    if (setup.notifyNodes) {
      requirePostgres(setup.dataSource);
    }
    this.signal =
        setup.notifyNodes ? new PostgresNodeSignal(connections, setup.store.tableName()) : null;
    if (signal != null) {
      builder.signal(signal);
    }
    this.dispatcher = builder.build();
    this.client = new OutboxClient(txContext, store, dispatcher, setup.metrics);
    boolean polls = config.isPollerEnabled() && !setup.listeners.isEmpty();
    this.poller = polls ? startPoller(setup, connections, store) : null;
    this.outbox = queue(setup, connections, txContext, store);
    if (joins != null) {
      joins.start(client, outbox, dispatcher, poller);
    }
  }

  private Outbox queue(
      Builder setup,
      ConnectionProvider connections,
      TxContext txContext,
      JdbcOutboxRepository store) {
    OutboxBuilder queue =
        Outbox.builder(connections, store)
            .txContext(txContext)
            .maxAttempts(setup.config.getRetryMaxAttempts())
            .maxLeaseExpiries(setup.config.getMaxLeaseExpiries())
            .onCommit(dispatcher::wakePollers);
    if (poller != null) {
      queue.onUnseenCommit(poller::expect);
    }
    if (setup.storeName != null) {
      queue.storeName(setup.storeName);
    }
    if (joins != null) {
      queue.joins(joins.coordinator());
    }
    return queue.build();
  }

  private static void requirePostgres(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      if (!(Dialects.of(connection) instanceof PostgresDialect)) {
        throw new IllegalStateException(
            "notifyNodes() needs PostgreSQL, which has NOTIFY; leave it out on this database");
      }
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached for notifyNodes()", e);
    }
  }

  private OutboxPoller startPoller(
      Builder setup, ConnectionProvider connections, JdbcOutboxRepository store) {
    OutboxConfig config = setup.config;
    OutboxPoller started =
        new OutboxPoller(
            connections,
            store,
            dispatcher,
            Duration.ofMillis(config.getPollerSkipRecentMs()),
            config.getPollerBatchSize(),
            config.getPollerIntervalMs(),
            setup.metrics);
    started.start();
    return started;
  }

  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /** Runs the work in a transaction: commits when it returns, rolls back when it throws. */
  public void inTransaction(TransactionRunner.Work work) throws Exception {
    transactions.run(work);
  }

  /** Stores the event in the transaction of this thread; see {@link OutboxClient#publish}. */
  public String publish(EventEnvelope event) {
    return client.publish(event);
  }

  /** For transactions begun and ended by hand. */
  public JdbcTransactionManager transactions() {
    return transactions;
  }

  public OutboxClient client() {
    return client;
  }

  /** The same table as a work queue: to enqueue, and for workers that claim by themselves. */
  public Outbox outbox() {
    return outbox;
  }

  public OutboxDispatcher dispatcher() {
    return dispatcher;
  }

  /**
   * Fan-in over the messages of this outbox.
   *
   * @throws IllegalStateException if it was built without {@link Builder#joins()}
   */
  public JoinCoordinator joins() {
    if (joins == null) {
      throw new IllegalStateException("this outbox has no joins; build it with joins()");
    }
    return joins.coordinator();
  }

  /** Stops polling, drains the dispatcher, stores the last outcomes. Closing twice is harmless. */
  @Override
  public void close() {
    if (joins != null) {
      joins.close();
    }
    if (poller != null) {
      poller.close();
    }
    dispatcher.close();
    if (signal != null) {
      signal.close();
    }
  }

  /** Collects the parts of an outbox. Not thread-safe. */
  public static final class Builder {
    private final DataSource dataSource;
    final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private OutboxConfig config = new OutboxConfig();
    JdbcOutboxRepository store = new JdbcOutboxRepository();
    private MetricsExporter metrics = MetricsExporter.NOOP;
    private @Nullable RetryPolicy retryPolicy;
    private @Nullable String node;
    private @Nullable String storeName;
    @Nullable JdbcJoinStore joinStore;
    @Nullable Duration joinRetention;
    private boolean createSchema;
    private boolean notifyNodes;

    private Builder(DataSource dataSource) {
      this.dataSource = requireNonNull(dataSource, "dataSource");
    }

    public Builder listener(EventType eventType, EventListener listener) {
      listeners.register(eventType, listener);
      return this;
    }

    public Builder listener(String eventType, EventListener listener) {
      listeners.register(eventType, listener);
      return this;
    }

    /** A listener whose writes commit together with the completion of the event. */
    public Builder transactionalListener(String eventType, TransactionalEventListener listener) {
      listeners.registerTransactional(eventType, listener);
      return this;
    }

    /** A handler of its topic; a {@code TransactionalOutboxHandler} gets a connection. */
    public Builder handler(OutboxHandler handler) {
      listeners.register(handler);
      return this;
    }

    /** The same for a handler that is written as a lambda. */
    public Builder handler(String topic, OutboxHandler.Body body) {
      return handler(OutboxHandler.of(topic, body));
    }

    /** A listener of every event, run after those of the event's own type. */
    public Builder listenerOfAll(EventListener listener) {
      listeners.registerAll(listener);
      return this;
    }

    /** All numbers and durations; copied. */
    public Builder config(OutboxConfig config) {
      this.config = requireNonNull(config, "config").copy();
      return this;
    }

    /** A store with another table or other options than the default one. */
    public Builder store(JdbcOutboxRepository store) {
      this.store = requireNonNull(store, "store");
      return this;
    }

    public Builder metrics(MetricsExporter metrics) {
      this.metrics = requireNonNull(metrics, "metrics");
      return this;
    }

    public Builder retryPolicy(RetryPolicy retryPolicy) {
      this.retryPolicy = requireNonNull(retryPolicy, "retryPolicy");
      return this;
    }

    /** A name of this process for owner tokens and {@code processed_by}. */
    public Builder node(String node) {
      this.node = requireNonNull(node, "node");
      return this;
    }

    /** Names this database in the log lines of the work queue. */
    public Builder storeName(String storeName) {
      this.storeName = requireNonNull(storeName, "storeName");
      return this;
    }

    /** Counts joins and handles those who wait for them; off by default. */
    public Builder joins() {
      return joins(new JdbcJoinStore().tableName(store.tableName()));
    }

    /** The same with other tables than the default ones. */
    public Builder joins(JdbcJoinStore joinStore) {
      this.joinStore = requireNonNull(joinStore, "joinStore");
      return this;
    }

    /** Deletes joins that ended longer ago than this; they are kept by default. */
    public Builder joinRetention(Duration joinRetention) {
      this.joinRetention = requireNonNull(joinRetention, "joinRetention");
      return this;
    }

    private OutboxSchema schema() {
      OutboxSchema events = OutboxSchema.of(dataSource).tableName(store.tableName());
      return joinStore == null ? events : events.withJoins(joinStore.joinTableName());
    }

    /** Creates what is missing of the schema before anything else; off by default. */
    public Builder createSchema() {
      this.createSchema = true;
      return this;
    }

    /**
     * Wakes the pollers of other nodes by PostgreSQL's NOTIFY when events are left to them; off by
     * default. Keeps one connection, which must not go through a transaction-pooling proxy.
     */
    public Builder notifyNodes() {
      this.notifyNodes = true;
      return this;
    }

    /**
     * Starts everything.
     *
     * @throws IllegalStateException if settings contradict each other, the schema is missing or the
     *     database is not supported
     */
    public JdbcOutbox start() {
      return new JdbcOutbox(this);
    }
  }
}

package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.ConflictingSettingsException;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.EventType;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.OutboxHandler;
import outbox.Retention;
import outbox.TransactionalEventListener;
import outbox.TransactionalOutboxHandler;
import outbox.dispatch.OutboxDispatcher;
import outbox.internal.util.Deadline;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.schema.OutboxSchema;
import outbox.join.JoinCoordinator;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
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
 *     .listener("OrderPlaced", OrderPlaced.class, order -> mail.confirm(order.customer()))
 *     .start()) {
 *   outbox.inTransaction(connection -> {
 *     orders.insert(connection, order);
 *     outbox.publish("OrderPlaced", order);
 *   });
 * }
 * }</pre>
 */
public final class JdbcOutbox implements AutoCloseable {
  private final DataSource dataSource;
  private final @Nullable JdbcTransactionManager ownTransactions;
  private final TransactionRunner transactions;
  private final DefaultListenerRegistry listeners;
  private final OutboxClient client;
  private final Outbox queue;
  private final OutboxDispatcher dispatcher;
  private final Polling polling;
  private final @Nullable PostgresNodeSignal signal;
  private final @Nullable JdbcJoins joins;
  private final Housekeeping housekeeping;
  private final Duration closeTimeout;

  private JdbcOutbox(Builder setup) {
    this.dataSource = setup.dataSource;
    this.closeTimeout = setup.config.getCloseTimeout();
    ConnectionProvider connections = new DataSourceConnectionProvider(setup.dataSource);
    ThreadLocalTxContext ownContext = new ThreadLocalTxContext();
    TxContext txContext = setup.txContext == null ? ownContext : setup.txContext;
    if (setup.createSchema) {
      setup.schema().deploy();
    }
    this.joins = setup.joins(connections, txContext);
    JdbcOutboxRepository store = joins == null ? setup.store : joins.events();
    JdbcTransactionManager own = new JdbcTransactionManager(connections, ownContext);
    this.ownTransactions = setup.transactions == null ? own : null;
    this.transactions = setup.transactions == null ? own : setup.transactions;
    this.listeners = setup.listeners;
    OutboxDispatcher.Builder builder =
        setup.dispatcher(connections, store, setup.listeners).transactions(transactions);
    if (setup.notifyNodes) {
      requirePostgres(setup.dataSource);
    }
    this.signal =
        setup.notifyNodes ? new PostgresNodeSignal(connections, setup.store.tableName()) : null;
    if (signal != null) {
      builder.signal(signal);
    }
    this.dispatcher = builder.build();
    this.client = new OutboxClient(txContext, store, dispatcher, setup.metrics, setup.codec);
    this.polling =
        new Polling(
            new StartLog(JdbcOutbox.class, store, listeners, setup.config),
            () -> listeners.isEmpty() ? null : setup.startPoller(connections, store, dispatcher));
    this.queue = queue(setup, connections, txContext, store);
    this.housekeeping = setup.startHousekeeping(setup.store.tableName(), connections, store);
    if (joins != null) {
      joins.publishBy(client, queue);
      joins.onDue(this::expectDue);
      housekeeping.add(joins.housekeeping(housekeeping::connection, setup.retention.joins()));
    }
  }

  /** The poller expects something: a join may have ended in a transaction that commits later. */
  private void expectDue() {
    polling.expect();
    dispatcher.wakePollers();
  }

  private Outbox queue(
      Builder setup,
      ConnectionProvider connections,
      TxContext txContext,
      JdbcOutboxRepository store) {
    OutboxBuilder queue =
        OutboxBuilder.of(connections, store)
            .txContext(txContext)
            .onCommit(dispatcher::wakePollers)
            .onUnseenCommit(polling::expect)
            .onStoredForLater(dispatcher.dueListener())
            .hotPath(dispatcher, setup.metrics);
    setup.limit(queue);
    if (joins != null) {
      queue.joins(joins.coordinator());
    }
    return queue.build();
  }

  private static void requirePostgres(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      if (!Dialects.of(connection).notifies()) {
        throw new ConflictingSettingsException(
            "notifyNodes() needs PostgreSQL, which has NOTIFY; leave it out on this database",
            "notifyNodes()");
      }
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached for notifyNodes()", e);
    }
  }

  /** Starts a builder; all other settings have defaults. */
  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /**
   * Begins to look for due events, if it has listeners and polling is enabled. Needed once after
   * {@link Builder#buildWithoutStart}; starting twice is harmless.
   *
   * @throws IllegalStateException if it is closed
   */
  public void start() {
    polling.start();
  }

  /** Who listens to what; a registration takes effect for the next event. */
  public DefaultListenerRegistry listeners() {
    return listeners;
  }

  /**
   * Runs the body in a transaction: commits when it returns, rolls back when it throws. Throws what
   * the body throws.
   *
   * <p>A body may also return a result: see {@link #inTransaction(BodyWithResult)}. Write a body
   * without a result as a block, {@code connection -> { … }}: the compiler takes {@code connection
   * -> expression} for a body with a result.
   *
   * @throws StoreException if the transaction itself fails
   */
  @SuppressWarnings("overloads") // no ambiguity: a BodyWithResult is a Body, and so more specific
  public <E extends Exception> void inTransaction(Body<E> body) throws E {
    requireNonNull(body, "body");
    this.<Boolean, E>inTransaction(
        connection -> {
          body.run(connection);
          return true;
        });
  }

  /**
   * Runs the body in a transaction and returns its result: commits when it returns, rolls back when
   * it throws. Throws what the body throws.
   *
   * @throws StoreException if the transaction itself fails
   */
  @SuppressWarnings("overloads")
  public <T extends @Nullable Object, E extends Exception> T inTransaction(
      BodyWithResult<T, E> body) throws E {
    return new TransactionResult<T, E>(requireNonNull(body, "body")).of(transactions);
  }

  /**
   * Stores the event in the transaction of this thread; see {@link
   * OutboxClient#publish(EventEnvelope)}.
   */
  public String publish(EventEnvelope event) {
    return client.publish(event);
  }

  /**
   * Stores an event whose payload the codec writes, in the transaction of this thread; see {@link
   * OutboxClient#publish(String, Object)}.
   */
  public String publish(String topic, Object payload) {
    return client.publish(topic, payload);
  }

  /**
   * Stores an event with more facts than its topic and payload, such as its key or its due time;
   * see {@link OutboxClient#publish(String, Object, Consumer)}.
   */
  public String publish(String topic, Object payload, Consumer<EventEnvelope.Builder> facts) {
    return client.publish(topic, payload, facts);
  }

  /** Stores the events in the transaction of this thread; see {@link OutboxClient#publishAll}. */
  public List<String> publishAll(Collection<EventEnvelope> events) {
    return client.publishAll(events);
  }

  /**
   * For transactions begun and ended by hand.
   *
   * @throws IllegalStateException if it was built with transactions of another manager
   */
  public JdbcTransactionManager transactions() {
    if (ownTransactions == null) {
      throw new IllegalStateException(
          "this outbox was built with transactions(…); begin them where those come from");
    }
    return ownTransactions;
  }

  /** Returns where its table is. */
  public DataSource dataSource() {
    return dataSource;
  }

  /** Returns the client that publishes, for code that takes an {@link OutboxClient}. */
  public OutboxClient client() {
    return client;
  }

  /** Returns the work queue on the table: to enqueue messages, and for workers that claim them. */
  public Outbox queue() {
    return queue;
  }

  /** Returns the dispatcher that delivers the events. */
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

  /**
   * Stops housekeeping and polling, drains the dispatcher, stores the last outcomes. Takes {@code
   * closeTimeout} at the most, and before that up to {@code drainTimeout} to work off what is
   * queued, as long as the database answers. Closing twice is harmless.
   */
  @Override
  public void close() {
    Deadline deadline = Deadline.in(closeTimeout);
    housekeeping.stop();
    polling.stop();
    if (signal != null) {
      signal.stop();
    }
    dispatcher.close();
    polling.close(deadline);
    housekeeping.close(deadline);
    if (signal != null) {
      signal.close(deadline);
    }
  }

  /**
   * The work of a transaction.
   *
   * @param <E> the checked exception that it throws; the compiler infers it for a lambda
   */
  @FunctionalInterface
  public interface Body<E extends Exception> {
    /** Does the work by statements on the connection; neither commits nor closes it. */
    void run(Connection connection) throws E;
  }

  /**
   * The work of a transaction that has a result.
   *
   * @param <T> the result
   * @param <E> the checked exception that it throws; the compiler infers it for a lambda
   */
  @FunctionalInterface
  public interface BodyWithResult<T extends @Nullable Object, E extends Exception> extends Body<E> {
    /** Does the work by statements on the connection, and returns what the caller is to get. */
    T call(Connection connection) throws E;

    /** Does the work and drops the result. */
    @Override
    default void run(Connection connection) throws E {
      call(connection);
    }
  }

  /** Collects the parts of an outbox. Not thread-safe. */
  public static final class Builder extends EngineBuilder<Builder>
      implements PayloadListeners<Builder> {
    final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    JdbcOutboxRepository store = new JdbcOutboxRepository();
    private @Nullable JdbcJoinStore joinStore;
    private @Nullable TxContext txContext;
    private @Nullable TransactionRunner transactions;
    private boolean notifyNodes;

    private Builder(DataSource dataSource) {
      super(dataSource, new OutboxConfig(), Retention.ofOutbox());
    }

    @Override
    Builder self() {
      return this;
    }

    /** Adds a listener of an event type. */
    public Builder listener(EventType eventType, EventListener listener) {
      listeners.register(eventType, listener);
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

    /** A listener whose writes commit together with the completion of the event. */
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

    /** Adds a handler of its topic. */
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

    /** Adds a handler of a topic from a lambda. */
    public Builder handler(String topic, OutboxHandler.Body body) {
      return handler(OutboxHandler.of(topic, body));
    }

    /** A handler that is written as a lambda, under a name of its own. */
    public Builder handler(String topic, String name, OutboxHandler.Body body) {
      listeners.registerHandler(name, OutboxHandler.of(topic, body));
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

    /** A store with another table or other options than the default one. */
    public Builder store(JdbcOutboxRepository store) {
      this.store = requireNonNull(store, "store");
      return this;
    }

    /**
     * Publishes in transactions of another manager, and runs transactional listeners in new ones of
     * theirs, instead of those that {@link JdbcOutbox#inTransaction} begins.
     */
    public Builder transactions(TxContext txContext, TransactionRunner transactions) {
      this.txContext = requireNonNull(txContext, "txContext");
      this.transactions = requireNonNull(transactions, "transactions");
      return this;
    }

    /** Counts joins and handles those who wait for them; off by default. */
    public Builder joins() {
      return joins(new JdbcJoinStore().tableName(store.tableName()));
    }

    /** Counts joins in other tables than the default ones, or with another wait topic. */
    public Builder joins(JdbcJoinStore joinStore) {
      this.joinStore = requireNonNull(joinStore, "joinStore");
      return this;
    }

    private @Nullable JdbcJoins joins(ConnectionProvider connections, TxContext txContext) {
      if (joinStore == null) {
        return null;
      }
      JdbcJoins joins = new JdbcJoins(joinStore, store, connections, txContext, codec);
      joins.check(connections);
      listeners.register(joins.coordinator().waitHandler());
      return joins;
    }

    private OutboxSchema schema() {
      OutboxSchema events = OutboxSchema.of(dataSource).tableName(store.tableName());
      return joinStore == null ? events : events.withJoins(joinStore.joinTableName());
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
     * Creates the outbox and starts it: publishes, looks for due events, handles them.
     *
     * @throws IllegalStateException if settings contradict each other, the schema is missing or the
     *     database is not supported
     */
    public JdbcOutbox start() {
      JdbcOutbox outbox = buildWithoutStart();
      outbox.start();
      return outbox;
    }

    /**
     * Creates an outbox that does not look for events yet: it publishes and stores them, and hands
     * them to no listener from the database until {@link JdbcOutbox#start} is called. Use it to
     * register more listeners first; otherwise call {@link #start}.
     *
     * @throws IllegalStateException if settings contradict each other, the schema is missing or the
     *     database is not supported
     */
    public JdbcOutbox buildWithoutStart() {
      return new JdbcOutbox(this);
    }
  }
}

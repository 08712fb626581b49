package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.Batches;
import outbox.DeadLetters;
import outbox.OutboxConfig;
import outbox.Retention;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxBatchHandler;
import outbox.inbox.InboxBuilder;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxWorkStore;
import outbox.inbox.ReceiveResult;
import outbox.inbox.TransactionalInboxBatchHandler;
import outbox.inbox.TransactionalInboxHandler;
import outbox.internal.util.Deadline;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.schema.InboxSchema;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.TransactionRunner;

/**
 * A whole inbox on one {@code DataSource}: intake, handlers and retention, wired and started on the
 * engine of the outbox. Thread-safe; close it before the outbox and the data source.
 *
 * <pre>{@code
 * try (JdbcInbox inbox = JdbcInbox.builder(dataSource)
 *     .createSchema()
 *     .transactionalHandler("payment.received", (message, connection) ->
 *         ledger.add(connection, message.messageId(), message.payload()))
 *     .start()) {
 *   inbox.receive(InboundMessage.of(new InboxKey("bank", eventId), "payment.received", body).withHash(sha256(body)));
 * }
 * }</pre>
 */
public final class JdbcInbox implements Inbox, AutoCloseable {
  private final Inbox inbox;
  private final InboxWorkStore workStore;
  private final OutboxDispatcher dispatcher;
  private final InboxHandlers handlers;
  private final Polling polling;
  private final Housekeeping housekeeping;
  private final Duration closeTimeout;

  private JdbcInbox(Builder setup) {
    ConnectionProvider connections = new DataSourceConnectionProvider(setup.dataSource);
    if (setup.createSchema) {
      InboxSchema.of(setup.dataSource).tableName(setup.store.tableName()).deploy();
    }
    if (setup.published != null) {
      SharedDatabase.require(
          setup.dataSource, setup.published, TableName.of(setup.store.tableName()));
    }
    LeasedEventStore events = setup.store.events();
    this.dispatcher =
        setup
            .dispatcher(connections, events, setup.handlers)
            .transactions(
                setup.transactions != null
                    ? setup.transactions
                    : new JdbcTransactionManager(connections, new ThreadLocalTxContext()))
            .build();
    this.handlers = setup.handlers;
    this.polling =
        new Polling(
            new StartLog(JdbcInbox.class, setup.store.repository(), handlers, setup.config),
            () -> handlers.isEmpty() ? null : setup.startPoller(connections, events, dispatcher));
    InboxBuilder intake = intake(setup, connections);
    this.inbox = intake.build();
    this.workStore = intake.buildWorkStore();
    this.housekeeping = setup.startHousekeeping(setup.store.tableName(), connections, events);
    this.closeTimeout = setup.config.getCloseTimeout();
  }

  private InboxBuilder intake(Builder setup, ConnectionProvider connections) {
    InboxBuilder intake =
        Inbox.builder(connections, setup.store)
            .onCommit(dispatcher::wakePollers)
            .onUnseenCommit(polling::expect)
            .onStoredForLater(dispatcher.dueListener())
            .hotPath(dispatcher, setup.metrics)
            .propagation(setup.propagation)
            .codec(setup.codec)
            .maxPayloadBytes(setup.maxPayloadBytes)
            .workQueue(setup::limit);
    Retries retries = setup.retries;
    if (retries != null) {
      intake.workQueue(queue -> queue.backoff(retries.delays()));
    }
    if (setup.storeName != null) {
      intake.storeName(setup.storeName);
    }
    return intake;
  }

  /** Starts a builder; all other settings have defaults. */
  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /**
   * Begins to look for due messages, if it has handlers and polling is enabled. Needed once after
   * {@link Builder#buildWithoutStart}; starting twice is harmless.
   *
   * @throws IllegalStateException if it is closed
   */
  public void start() {
    polling.start();
  }

  /** Who handles what; a registration takes effect for the next message. */
  public InboxHandlers handlers() {
    return handlers;
  }

  @Override
  public ReceiveResult receive(InboundMessage message) {
    return inbox.receive(message);
  }

  @Override
  public ReceiveResult receive(Connection connection, InboundMessage message) {
    return inbox.receive(connection, message);
  }

  @Override
  public ReceiveResult receive(InboxKey key, String topic, Object payload) {
    return inbox.receive(key, topic, payload);
  }

  @Override
  public List<ReceiveResult> receiveAll(Collection<InboundMessage> messages) {
    return inbox.receiveAll(messages);
  }

  @Override
  public List<ReceiveResult> receiveAll(
      Connection connection, Collection<InboundMessage> messages) {
    return inbox.receiveAll(connection, messages);
  }

  @Override
  public void enqueue(InboundMessage message) {
    inbox.enqueue(message);
  }

  @Override
  public void enqueue(Connection connection, InboundMessage message) {
    inbox.enqueue(connection, message);
  }

  @Override
  public boolean alreadyProcessed(InboxKey key, byte @Nullable [] hash) {
    return inbox.alreadyProcessed(key, hash);
  }

  @Override
  public boolean alreadyProcessed(Connection connection, InboxKey key, byte @Nullable [] hash) {
    return inbox.alreadyProcessed(connection, key, hash);
  }

  @Override
  public boolean markProcessing(InboxKey key) {
    return inbox.markProcessing(key);
  }

  @Override
  public boolean markProcessed(InboxKey key) {
    return inbox.markProcessed(key);
  }

  @Override
  public boolean markProcessed(Connection connection, InboxKey key) {
    return inbox.markProcessed(connection, key);
  }

  @Override
  public boolean markDead(InboxKey key) {
    return inbox.markDead(key);
  }

  @Override
  public boolean replay(InboxKey key, String by) {
    return inbox.replay(key, by);
  }

  @Override
  public Set<InboxKey> replay(Collection<InboxKey> keys, String by) {
    return inbox.replay(keys, by);
  }

  @Override
  public DeadLetters deadLetters() {
    return inbox.deadLetters();
  }

  /** Returns the work queue on the messages of this inbox, for workers that claim by themselves. */
  public InboxWorkStore workStore() {
    return workStore;
  }

  /** Returns what runs the handlers. */
  public OutboxDispatcher dispatcher() {
    return dispatcher;
  }

  /** Looks for messages at once; call it if another program has made one due. */
  public void wake() {
    dispatcher.wakePollers();
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
    dispatcher.close();
    polling.close(deadline);
    housekeeping.close(deadline);
  }

  /** Collects the parts of an inbox; batches of 50 unless configured. Not thread-safe. */
  public static final class Builder extends EngineBuilder<Builder>
      implements PayloadHandlers<Builder> {
    private static final int DEFAULT_BATCH = 50;

    private final InboxHandlers handlers = new InboxHandlers();
    private JdbcInboxStore store = new JdbcInboxStore();
    private int maxPayloadBytes = InboundMessage.MAX_PAYLOAD_BYTES;
    private @Nullable TransactionRunner transactions;
    private @Nullable DataSource published;

    private Builder(DataSource dataSource) {
      super(dataSource, new OutboxConfig().setPollerBatchSize(DEFAULT_BATCH), Retention.ofInbox());
      retries(Retries.moderate());
    }

    @Override
    Builder self() {
      return this;
    }

    /** Adds a handler of its topic. */
    @Override
    public Builder handler(InboxHandler handler) {
      handlers.register(handler);
      return this;
    }

    /** Adds a handler of its topic that works in the transaction which completes the message. */
    @Override
    public Builder transactionalHandler(TransactionalInboxHandler handler) {
      handlers.register(handler);
      return this;
    }

    /** Adds a handler of a topic from a lambda. */
    public Builder handler(String topic, InboxHandler.Body body) {
      return handler(InboxHandler.of(topic, body));
    }

    @Override
    public Builder batchHandler(String topic, Batches batches, InboxBatchHandler handler) {
      handlers.registerBatch(topic, batches, handler);
      return this;
    }

    @Override
    public Builder transactionalBatchHandler(
        String topic, Batches batches, TransactionalInboxBatchHandler handler) {
      handlers.registerTransactionalBatch(topic, batches, handler);
      return this;
    }

    /** A handler whose writes commit together with the completion of its message. */
    public Builder transactionalHandler(String topic, TransactionalInboxHandler.Body body) {
      return transactionalHandler(TransactionalInboxHandler.of(topic, body));
    }

    /**
     * Runs transactional handlers in transactions of this outbox, on the same database, so that
     * what they publish to it joins. An outbox on another database is refused by {@link #start}.
     */
    public Builder publishingTo(JdbcOutbox outbox) {
      transactions(requireNonNull(outbox, "outbox").transactions());
      this.published = outbox.dataSource();
      return this;
    }

    /** Runs transactional handlers in these transactions. */
    public Builder transactions(TransactionRunner transactions) {
      this.transactions = requireNonNull(transactions, "transactions");
      this.published = null;
      return this;
    }

    /** A store with another table than the default one. */
    public Builder store(JdbcInboxStore store) {
      this.store = requireNonNull(store, "store");
      return this;
    }

    /** The largest payload in bytes of UTF-8; 1 MiB by default. */
    public Builder maxPayloadBytes(int maxPayloadBytes) {
      this.maxPayloadBytes = maxPayloadBytes;
      return this;
    }

    /**
     * Starts everything. Without handlers it only takes messages in, for other processes to handle.
     *
     * @throws IllegalStateException if settings contradict each other, the schema is missing or the
     *     database is not supported
     */
    public JdbcInbox start() {
      JdbcInbox inbox = buildWithoutStart();
      inbox.start();
      return inbox;
    }

    /**
     * Creates an inbox that does not look for messages yet: it receives and stores them, and hands
     * them to no handler from the database until {@link JdbcInbox#start} is called. Use it to
     * register more handlers first; otherwise call {@link #start}.
     *
     * @throws IllegalStateException if settings contradict each other, the schema is missing or the
     *     database is not supported
     */
    public JdbcInbox buildWithoutStart() {
      return new JdbcInbox(this);
    }
  }
}

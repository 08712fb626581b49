package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.Retention;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxBuilder;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxWorkStore;
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
 *   inbox.inbox().receive("payment.received", "bank", eventId, body, sha256(body));
 * }
 * }</pre>
 */
public final class JdbcInbox implements AutoCloseable {
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

  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /**
   * Begins to look for messages, if it has handlers and may. Needed once after {@link
   * Builder#build}; starting twice is harmless.
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

  public Inbox inbox() {
    return inbox;
  }

  /** The same messages as a work queue, for workers that claim by themselves. */
  public InboxWorkStore workStore() {
    return workStore;
  }

  /** Looks for messages at once, for whoever knows that one has become due by other hands. */
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

    /** A handler of its topic; a {@link TransactionalInboxHandler} gets a connection. */
    @Override
    public Builder handler(InboxHandler handler) {
      handlers.register(handler);
      return this;
    }

    /** The same for a handler that is written as a lambda. */
    public Builder handler(String topic, InboxHandler.Body body) {
      return handler(InboxHandler.of(topic, body));
    }

    /** A handler whose writes commit together with the completion of its message. */
    public Builder transactionalHandler(String topic, TransactionalInboxHandler.Body body) {
      return handler(TransactionalInboxHandler.of(topic, body));
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
      JdbcInbox inbox = build();
      inbox.start();
      return inbox;
    }

    /**
     * The same, but messages are only looked for in the database from {@link JdbcInbox#start} on:
     * for those who have more handlers to register until then.
     */
    public JdbcInbox build() {
      return new JdbcInbox(this);
    }
  }
}

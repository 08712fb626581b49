package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxBuilder;
import outbox.inbox.InboxCleanup;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxWorkStore;
import outbox.inbox.TransactionalInboxHandler;
import outbox.poller.OutboxPoller;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.TransactionRunner;

/**
 * A whole inbox on one {@code DataSource}: intake, handlers and cleanup, wired and started on the
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
  private final @Nullable OutboxPoller poller;
  private final @Nullable InboxCleanup cleanup;

  private JdbcInbox(Builder setup) {
    ConnectionProvider connections = new DataSourceConnectionProvider(setup.dataSource);
    if (setup.createSchema) {
      InboxSchema.of(setup.dataSource).tableName(setup.store.tableName()).deploy();
    }
    LeasedEventStore events = setup.store.events();
    OutboxDispatcher.Builder builder =
        OutboxDispatcher.builder(connections, events)
            .config(setup.config)
            .listeners(setup.handlers)
            .metrics(setup.metrics)
            .retries(setup.retries)
            .transactions(
                setup.transactions != null
                    ? setup.transactions
                    : new JdbcTransactionManager(connections, new ThreadLocalTxContext()));
    setup.retriesByTopic.forEach(builder::retries);
    if (setup.node != null) {
      builder.node(setup.node);
    }
    this.dispatcher = builder.build();
    boolean polls = setup.config.isPollerEnabled() && !setup.handlers.isEmpty();
    this.poller = polls ? startPoller(setup, connections, events) : null;
    InboxBuilder intake =
        Inbox.builder(connections, setup.store)
            .onCommit(dispatcher::wakePollers)
            .maxPayloadBytes(setup.maxPayloadBytes);
    if (setup.storeName != null) {
      intake.storeName(setup.storeName);
    }
    this.inbox = intake.build();
    this.workStore = intake.buildWorkStore();
    this.cleanup = setup.cleanupInterval == null ? null : startCleanup(setup, connections);
  }

  private OutboxPoller startPoller(
      Builder setup, ConnectionProvider connections, LeasedEventStore events) {
    OutboxPoller started =
        new OutboxPoller(
            connections,
            events,
            dispatcher,
            Duration.ZERO,
            setup.config.getPollerBatchSize(),
            setup.config.getPollerIntervalMs(),
            setup.metrics);
    started.start();
    return started;
  }

  private static InboxCleanup startCleanup(Builder setup, ConnectionProvider connections) {
    InboxCleanup cleanup =
        new InboxCleanup(connections, setup.store, setup.payloadRetention, setup.dedupWindow);
    cleanup.start(requireNonNull(setup.cleanupInterval));
    return cleanup;
  }

  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  public Inbox inbox() {
    return inbox;
  }

  /** The same messages as a work queue, for workers that claim by themselves. */
  public InboxWorkStore workStore() {
    return workStore;
  }

  /** Stops cleanup and polling, drains the dispatcher, stores the last outcomes. */
  @Override
  public void close() {
    if (cleanup != null) {
      cleanup.close();
    }
    if (poller != null) {
      poller.close();
    }
    dispatcher.close();
  }

  /** Collects the parts of an inbox. Not thread-safe. */
  public static final class Builder {
    /** Messages claimed by one statement at the most, unless the configuration says otherwise. */
    private static final int DEFAULT_BATCH = 50;

    private final DataSource dataSource;
    private final InboxHandlers handlers = new InboxHandlers();
    private OutboxConfig config = new OutboxConfig().setPollerBatchSize(DEFAULT_BATCH);
    private JdbcInboxStore store = new JdbcInboxStore();
    private MetricsExporter metrics = MetricsExporter.NOOP;
    private Retries retries = Retries.moderate();
    private final Map<String, Retries> retriesByTopic = new HashMap<>();
    private int maxPayloadBytes = InboundMessage.MAX_PAYLOAD_BYTES;
    private Duration payloadRetention = InboxCleanup.DEFAULT_PAYLOAD_RETENTION;
    private Duration dedupWindow = InboxCleanup.DEFAULT_DEDUP_WINDOW;
    private @Nullable Duration cleanupInterval = InboxCleanup.DEFAULT_INTERVAL;
    private @Nullable TransactionRunner transactions;
    private @Nullable String node;
    private @Nullable String storeName;
    private boolean createSchema;

    private Builder(DataSource dataSource) {
      this.dataSource = requireNonNull(dataSource, "dataSource");
    }

    /** A handler of its topic; a {@link TransactionalInboxHandler} gets a connection. */
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
     * what they publish to it joins.
     */
    public Builder publishingTo(JdbcOutbox outbox) {
      return transactions(requireNonNull(outbox, "outbox").transactions());
    }

    /** Runs transactional handlers in these transactions. */
    public Builder transactions(TransactionRunner transactions) {
      this.transactions = requireNonNull(transactions, "transactions");
      return this;
    }

    /** All numbers and durations of the engine; copied. Batches of 50 by default. */
    public Builder config(OutboxConfig config) {
      this.config = requireNonNull(config, "config").copy();
      return this;
    }

    /** A store with another table than the default one. */
    public Builder store(JdbcInboxStore store) {
      this.store = requireNonNull(store, "store");
      return this;
    }

    public Builder metrics(MetricsExporter metrics) {
      this.metrics = requireNonNull(metrics, "metrics");
      return this;
    }

    /** How failed messages are tried again; {@link Retries#moderate} by default. */
    public Builder retries(Retries retries) {
      this.retries = requireNonNull(retries, "retries");
      return this;
    }

    /** The same for one topic. */
    public Builder retries(String topic, Retries retries) {
      retriesByTopic.put(requireNonNull(topic, "topic"), requireNonNull(retries, "retries"));
      return this;
    }

    /** The largest payload in bytes of UTF-8; 1 MiB by default. */
    public Builder maxPayloadBytes(int maxPayloadBytes) {
      this.maxPayloadBytes = maxPayloadBytes;
      return this;
    }

    /** How long the payload and the key of a processed message are kept; 7 and 30 days. */
    public Builder retention(Duration payloadRetention, Duration dedupWindow) {
      this.payloadRetention = requireNonNull(payloadRetention, "payloadRetention");
      this.dedupWindow = requireNonNull(dedupWindow, "dedupWindow");
      return this;
    }

    /** How often to clean up; every minute by default. */
    public Builder cleanupInterval(Duration cleanupInterval) {
      this.cleanupInterval = requireNonNull(cleanupInterval, "cleanupInterval");
      return this;
    }

    /** Leaves the cleanup to another process. */
    public Builder noCleanup() {
      this.cleanupInterval = null;
      return this;
    }

    /** A name of this process for owner tokens and {@code processed_by}. */
    public Builder node(String node) {
      this.node = requireNonNull(node, "node");
      return this;
    }

    /** Names this database in log lines. */
    public Builder storeName(String storeName) {
      this.storeName = requireNonNull(storeName, "storeName");
      return this;
    }

    /** Creates what is missing of the schema before anything else; off by default. */
    public Builder createSchema() {
      this.createSchema = true;
      return this;
    }

    /**
     * Starts everything. Without handlers it only takes messages in, for other processes to handle.
     *
     * @throws IllegalStateException if settings contradict each other, the schema is missing or the
     *     database is not supported
     */
    public JdbcInbox start() {
      return new JdbcInbox(this);
    }
  }
}

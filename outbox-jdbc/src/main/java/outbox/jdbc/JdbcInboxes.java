package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import outbox.Batches;
import outbox.OutboxBuilder;
import outbox.Retention;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxBatchHandler;
import outbox.inbox.InboxBuilder;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxRouter;
import outbox.inbox.InboxWorkStore;
import outbox.inbox.TransactionalInboxBatchHandler;
import outbox.inbox.TransactionalInboxHandler;
import outbox.jdbc.internal.dialect.TableName;
import outbox.routing.OutboxStore;
import outbox.spi.DueListener;

/**
 * The inboxes of many databases in one process: {@link JdbcOutboxes} on the tables of inboxes, a
 * router that finds the inbox of a tenant, and one housekeeper for all. Thread-safe.
 */
public final class JdbcInboxes implements InboxRouter, AutoCloseable {
  private final JdbcOutboxes outboxes;
  private final String tableName;
  private final Builder setup;
  private final Map<String, Routed> inboxes = new ConcurrentHashMap<>();

  private JdbcInboxes(Builder setup) {
    this.tableName = setup.tableName;
    this.setup = setup;
    if (setup.handlers.isEmpty()) {
      setup.config.setPollerEnabled(false);
    }
    this.outboxes = new JdbcOutboxes(setup, setup.handlers, () -> table().repository(), null);
  }

  /** A store keeps the statements of the database it first met, so each has one of its own. */
  private JdbcInboxStore table() {
    return JdbcInboxStore.onTable(tableName);
  }

  /** Starts a builder; name at least one database or a discovery. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public Inbox getInbox(String routingKey) {
    return routed(routingKey).inbox;
  }

  /**
   * The messages of a database as a work queue, for workers that claim by themselves.
   *
   * @throws IllegalStateException if there is no database with this identifier
   */
  public InboxWorkStore getWorkStore(String routingKey) {
    return routed(routingKey).workStore;
  }

  /**
   * The work queues of all databases that are served now, by identifier. Those of a discovery come
   * and go.
   */
  public Map<String, InboxWorkStore> getWorkStores() {
    Map<String, InboxWorkStore> all = new LinkedHashMap<>();
    outboxes
        .dispatcher()
        .stores()
        .forEach(store -> all.put(store.identifier(), routed(store).workStore));
    return all;
  }

  private Routed routed(String routingKey) {
    if (routingKey == null || routingKey.isEmpty()) {
      throw new IllegalArgumentException("routingKey must not be null or empty");
    }
    return routed(outboxes.dispatcher().store(routingKey));
  }

  private Routed routed(OutboxStore store) {
    return requireNonNull(
        inboxes.compute(
            store.identifier(),
            (key, before) -> before != null && before.store == store ? before : routing(store)));
  }

  private Routed routing(OutboxStore store) {
    String key = store.identifier();
    InboxBuilder intake =
        Inbox.builder(store.applicationConnections(), table())
            .storeName(key)
            .propagation(setup.propagation)
            .codec(setup.codec)
            .maxPayloadBytes(setup.maxPayloadBytes)
            .onCommit(() -> wakeIfThere(key))
            .onUnseenCommit(() -> wakeIfThere(key))
            .onStoredForLater(new DueIfThere(key))
            .hotPath(outboxes.dispatcher().hotPath(key), setup.metrics)
            .workQueue(setup::limit);
    return new Routed(store, intake.build(), intake.buildWorkStore());
  }

  private void wakeIfThere(String key) {
    ifThere(key, there -> there.wake(key));
  }

  /** A database that was just removed has no claimer to wake. */
  private void ifThere(String key, Consumer<MultiOutboxDispatcher> wakeUp) {
    try {
      wakeUp.accept(outboxes.dispatcher());
    } catch (IllegalStateException e) {
      inboxes.remove(key);
    }
  }

  private final class DueIfThere implements DueListener {
    private final String key;

    private DueIfThere(String key) {
      this.key = key;
    }

    @Override
    public void dueAt(Instant due) {
      ifThere(key, there -> there.dueListener(key).dueAt(due));
    }

    @Override
    public void dueAfter(Duration delay) {
      ifThere(key, there -> there.dueListener(key).dueAfter(delay));
    }
  }

  /** Drains all databases, stores the last outcomes, closes all connections. */
  @Override
  public void close() {
    outboxes.close();
  }

  /** The inbox of a store; a store that replaces it gets another one. */
  private record Routed(OutboxStore store, Inbox inbox, InboxWorkStore workStore) {}

  /** Collects databases, handlers and settings. Not thread-safe. */
  public static final class Builder extends DatabasesBuilder<Builder>
      implements PayloadHandlers<Builder> {
    private final InboxHandlers handlers = new InboxHandlers();
    private String tableName = TableName.DEFAULT_INBOX.toString();
    private int maxPayloadBytes = InboundMessage.MAX_PAYLOAD_BYTES;

    private Builder() {
      super(Retention.ofInbox());
      retries(Retries.moderate());
    }

    @Override
    Builder self() {
      return this;
    }

    /** Handles the messages of its topic from every database; one for each topic. */
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

    /** Adds a handler of a topic from a lambda. */
    public Builder handler(String topic, InboxHandler.Body body) {
      return handler(InboxHandler.of(topic, body));
    }

    /** A handler whose writes commit together with the completion, in the message's database. */
    public Builder transactionalHandler(String topic, TransactionalInboxHandler.Body body) {
      return transactionalHandler(TransactionalInboxHandler.of(topic, body));
    }

    /**
     * Runs transactional handlers in transactions of the outbox with the same identifier, on the
     * same database, so that what they publish to it joins.
     */
    public Builder publishingTo(JdbcOutboxes outboxes) {
      this.transactions = requireNonNull(outboxes, "outboxes")::transactions;
      return this;
    }

    /** Gives the work queues the limits and delays of the engine. */
    private void limit(OutboxBuilder queue) {
      queue
          .maxAttempts(config.getRetryMaxAttempts())
          .maxLeaseExpiries(config.getMaxLeaseExpiries());
      if (retries != null) {
        queue.backoff(retries.delays());
      }
    }

    /** Another table than {@code outbox_inbox}, in every database. */
    public Builder tableName(String tableName) {
      this.tableName = TableName.of(tableName).toString();
      return this;
    }

    /** The largest payload in bytes of UTF-8; 1 MiB by default. */
    public Builder maxPayloadBytes(int maxPayloadBytes) {
      this.maxPayloadBytes = maxPayloadBytes;
      return this;
    }

    /**
     * Starts everything; see {@link JdbcOutboxes.Builder#start}. Without handlers it only takes
     * messages in, for other processes or workers of {@link JdbcInboxes#getWorkStore}.
     *
     * @throws IllegalStateException if settings contradict each other
     */
    public JdbcInboxes start() {
      return new JdbcInboxes(this);
    }
  }
}

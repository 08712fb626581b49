package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import outbox.Retention;
import outbox.dispatch.Retries;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxRouter;
import outbox.routing.OutboxStore;

/**
 * The inboxes of many databases in one process: {@link JdbcOutboxes} on the tables of inboxes, a
 * router that finds the inbox of a tenant, and one housekeeper for all. Thread-safe.
 */
public final class JdbcInboxes implements InboxRouter, AutoCloseable {
  private final JdbcOutboxes outboxes;
  private final String tableName;
  private final int maxPayloadBytes;
  private final Map<String, Routed> inboxes = new ConcurrentHashMap<>();

  private JdbcInboxes(Builder setup) {
    this.tableName = setup.tableName;
    this.maxPayloadBytes = setup.maxPayloadBytes;
    this.outboxes = new JdbcOutboxes(setup, setup.handlers, () -> table().repository());
  }

  /** A store keeps the statements of the database it first met, so each has one of its own. */
  private JdbcInboxStore table() {
    return JdbcInboxStore.onTable(tableName);
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public Inbox getInbox(String routingKey) {
    if (routingKey == null || routingKey.isEmpty()) {
      throw new IllegalArgumentException("routingKey must not be null or empty");
    }
    return routed(outboxes.dispatcher().store(routingKey)).inbox;
  }

  private Routed routed(OutboxStore store) {
    return requireNonNull(
        inboxes.compute(
            store.identifier(),
            (key, before) -> before != null && before.store == store ? before : routing(store)));
  }

  private Routed routing(OutboxStore store) {
    String key = store.identifier();
    Inbox inbox =
        Inbox.builder(store.applicationConnections(), table())
            .storeName(key)
            .maxPayloadBytes(maxPayloadBytes)
            .onCommit(() -> wakeIfThere(key))
            .onUnseenCommit(() -> wakeIfThere(key))
            .build();
    return new Routed(store, inbox);
  }

  /** A database that was just taken away has nobody to be woken. */
  private void wakeIfThere(String key) {
    try {
      outboxes.dispatcher().wake(key);
    } catch (IllegalStateException e) {
      inboxes.remove(key);
    }
  }

  /** Drains all databases, stores the last outcomes, closes all connections. */
  @Override
  public void close() {
    outboxes.close();
  }

  /** The inbox of a store; a store that replaces it gets another one. */
  private record Routed(OutboxStore store, Inbox inbox) {}

  /** Collects databases, handlers and settings. Not thread-safe. */
  public static final class Builder extends DatabasesBuilder<Builder> {
    private final InboxHandlers handlers = new InboxHandlers();
    private String tableName = InboxSchema.DEFAULT_TABLE.toString();
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
    public Builder handler(InboxHandler handler) {
      handlers.register(handler);
      return this;
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
     * Starts everything; see {@link JdbcOutboxes.Builder#start}.
     *
     * @throws IllegalStateException if settings contradict each other
     */
    public JdbcInboxes start() {
      return new JdbcInboxes(this);
    }
  }
}

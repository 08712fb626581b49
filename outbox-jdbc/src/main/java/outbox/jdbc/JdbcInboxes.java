package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import outbox.OutboxConfig;
import outbox.dispatch.Retries;
import outbox.inbox.Inbox;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxRouter;
import outbox.routing.OutboxDatabaseDiscovery;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.OutboxStore;
import outbox.spi.MetricsExporter;

/**
 * The inboxes of many databases in one process: {@link JdbcOutboxes} on the tables of inboxes, with
 * a router that finds the inbox of a tenant. Thread-safe. Cleanup is left to an {@link
 * outbox.inbox.InboxCleanup} per database, where it is wanted.
 */
public final class JdbcInboxes implements InboxRouter, AutoCloseable {
  private final JdbcOutboxes outboxes;
  private final JdbcInboxStore store;
  private final Map<String, Routed> inboxes = new ConcurrentHashMap<>();

  private JdbcInboxes(Builder setup) {
    this.store = setup.store;
    this.outboxes = setup.outboxes.stores(() -> copyOf(store).repository()).start();
  }

  /** A store keeps the statements of the database it first met, so each has one of its own. */
  private static JdbcInboxStore copyOf(JdbcInboxStore store) {
    return JdbcInboxStore.onTable(store.tableName());
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public Inbox getInbox(String routingKey) {
    if (routingKey == null || routingKey.isEmpty()) {
      throw new IllegalArgumentException("routingKey must not be null or empty");
    }
    OutboxStore found = outboxes.dispatcher().store(routingKey);
    return requireNonNull(
            inboxes.compute(
                routingKey,
                (key, before) ->
                    before != null && before.store == found ? before : routed(key, found)))
        .inbox;
  }

  private Routed routed(String key, OutboxStore found) {
    Inbox inbox =
        Inbox.builder(found.applicationConnections(), copyOf(store))
            .storeName(key)
            .onCommit(() -> wakeIfThere(key))
            .build();
    return new Routed(found, inbox);
  }

  /** A database that was just taken away has nobody to be woken. */
  private void wakeIfThere(String key) {
    try {
      outboxes.dispatcher().wake(key);
    } catch (IllegalStateException e) {
      inboxes.remove(key);
    }
  }

  /** Drains all databases, stores the last outcomes and closes every connection. */
  @Override
  public void close() {
    outboxes.close();
  }

  /** The inbox of a store; a store that replaces it gets another one. */
  private record Routed(OutboxStore store, Inbox inbox) {}

  /** Collects databases, handlers and settings. Not thread-safe. */
  public static final class Builder {
    private final JdbcOutboxes.Builder outboxes =
        JdbcOutboxes.builder().retries(Retries.moderate());
    private final InboxHandlers handlers = new InboxHandlers();
    private JdbcInboxStore store = new JdbcInboxStore();

    private Builder() {}

    /** A database behind a data source, which should open plain connections and not pool them. */
    public Builder database(String identifier, DataSource dataSource) {
      outboxes.database(identifier, dataSource);
      return this;
    }

    public Builder database(String identifier, String url, String user, String password) {
      outboxes.database(identifier, url, user, password);
      return this;
    }

    /** Databases that are looked for now and then, instead of a fixed number of them. */
    public Builder discovery(OutboxDatabaseDiscovery discovery) {
      outboxes.discovery(discovery);
      return this;
    }

    /** How often they are looked for; every 5 minutes by default. */
    public Builder discoveryInterval(Duration discoveryInterval) {
      outboxes.discoveryInterval(discoveryInterval);
      return this;
    }

    /** Connections to all databases together; see {@link JdbcOutboxes.Builder#maxConnections}. */
    public Builder maxConnections(int maxConnections) {
      outboxes.maxConnections(maxConnections);
      return this;
    }

    /** Handles the messages of its topic from every database; one for each topic. */
    public Builder handler(InboxHandler handler) {
      handlers.register(handler);
      outboxes.handler(InboxHandlers.adapted(handler));
      return this;
    }

    /** All numbers and durations; copied. */
    public Builder config(OutboxConfig config) {
      outboxes.config(config);
      return this;
    }

    /** Another table than {@code outbox_inbox}, in every database. */
    public Builder tableName(String tableName) {
      this.store = JdbcInboxStore.onTable(tableName);
      return this;
    }

    /** Which database is claimed from next; round-robin by default. */
    public Builder strategy(OutboxSelectionStrategy strategy) {
      outboxes.strategy(strategy);
      return this;
    }

    public Builder metrics(MetricsExporter metrics) {
      outboxes.metrics(metrics);
      return this;
    }

    /** How failed messages are tried again; {@link Retries#moderate} by default. */
    public Builder retries(Retries retries) {
      outboxes.retries(retries);
      return this;
    }

    /** The same for one topic. */
    public Builder retries(String topic, Retries retries) {
      outboxes.retries(topic, retries);
      return this;
    }

    /** A name of this process for owner tokens and {@code processed_by}. */
    public Builder node(String node) {
      outboxes.node(node);
      return this;
    }

    /** Creates the table when a database is first connected and has none; off by default. */
    public Builder createSchema() {
      outboxes.createSchema();
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

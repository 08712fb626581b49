package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.Retention;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.routing.OutboxDatabase;
import outbox.routing.OutboxDatabaseDiscovery;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.RoundRobinOutboxSelectionStrategy;
import outbox.spi.TransactionRunner;

/**
 * The databases that one engine serves, be it their outboxes or their inboxes. Not thread-safe.
 *
 * <p>Unless a configuration is given, batches of 50 are claimed and a database has 5 seconds to
 * answer; unless a retention is given, old messages are looked for every 10 minutes.
 *
 * @param <B> the builder itself, which the setters return
 */
abstract class DatabasesBuilder<B extends DatabasesBuilder<B>> extends EngineSettings<B> {
  private static final int LEAST_CONNECTIONS = 3;
  private static final Duration NETWORK_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration RETENTION_INTERVAL = Duration.ofMinutes(10);

  final List<OutboxDatabase> databases = new ArrayList<>();
  OutboxSelectionStrategy strategy = new RoundRobinOutboxSelectionStrategy();
  Duration discoveryInterval = OutboxDatabaseDiscovery.DEFAULT_INTERVAL;
  Duration connectionTimeout = JdbcOutboxes.DEFAULT_CONNECTION_TIMEOUT;
  int maxConnections = JdbcOutboxes.DEFAULT_MAX_CONNECTIONS;
  @Nullable OutboxDatabaseDiscovery discovery;

  /** Instead of transactions of its own, those of each database by its identifier. */
  @Nullable Function<String, TransactionRunner> transactions;

  DatabasesBuilder(Retention retention) {
    super(
        new OutboxConfig()
            .setPollerBatchSize(MultiOutboxDispatcher.DEFAULT_BATCH_SIZE)
            .setNetworkTimeout(NETWORK_TIMEOUT),
        retention.interval(RETENTION_INTERVAL));
  }

  /** A database behind a data source, which should open plain connections and not pool them. */
  public B database(String identifier, DataSource dataSource) {
    databases.add(OutboxDatabase.of(identifier, dataSource));
    return self();
  }

  public B database(String identifier, String url, String user, String password) {
    databases.add(OutboxDatabase.of(identifier, url, user, password));
    return self();
  }

  public B databases(Collection<OutboxDatabase> databases) {
    this.databases.addAll(databases);
    return self();
  }

  /** Databases that are looked for now and then, instead of a fixed number of them. */
  public B discovery(OutboxDatabaseDiscovery discovery) {
    this.discovery = requireNonNull(discovery, "discovery");
    return self();
  }

  /** How often they are looked for; every 5 minutes by default. */
  public B discoveryInterval(Duration discoveryInterval) {
    this.discoveryInterval = requireNonNull(discoveryInterval, "discoveryInterval");
    return self();
  }

  /**
   * Connections to all databases together, of engine and application; at least 3. Each of the two
   * leaves a quarter of them to the other.
   */
  public B maxConnections(int maxConnections) {
    if (maxConnections < LEAST_CONNECTIONS) {
      throw new IllegalArgumentException(
          "maxConnections (" + maxConnections + ") must be at least " + LEAST_CONNECTIONS);
    }
    this.maxConnections = maxConnections;
    return self();
  }

  /** How long the application waits for one of the connections before its call fails. */
  public B connectionTimeout(Duration connectionTimeout) {
    if (requireNonNull(connectionTimeout, "connectionTimeout").isNegative()) {
      throw new IllegalArgumentException(
          "connectionTimeout (" + connectionTimeout + ") must not be negative");
    }
    this.connectionTimeout = connectionTimeout;
    return self();
  }

  /** Which database is claimed from next; round-robin by default. */
  public B strategy(OutboxSelectionStrategy strategy) {
    this.strategy = requireNonNull(strategy, "strategy");
    return self();
  }

  final void check() {
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
    checkCodec();
  }
}

package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.OutboxBuilder;
import outbox.OutboxConfig;
import outbox.Retention;
import outbox.dispatch.OutboxDispatcher;
import outbox.internal.retention.EventRetention;
import outbox.poller.OutboxPoller;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;

/**
 * The engine on a table of one database, be it an outbox or an inbox. Not thread-safe.
 *
 * @param <B> the builder itself, which the setters return
 */
abstract class EngineBuilder<B extends EngineBuilder<B>> extends EngineSettings<B> {
  final DataSource dataSource;
  @Nullable String storeName;

  EngineBuilder(DataSource dataSource, OutboxConfig config, Retention retention) {
    super(config, retention);
    this.dataSource = requireNonNull(dataSource, "dataSource");
  }

  /** Names this database in log lines. */
  public B storeName(String storeName) {
    this.storeName = requireNonNull(storeName, "storeName");
    return self();
  }

  final OutboxDispatcher.Builder dispatcher(
      ConnectionProvider connections, LeasedEventStore store, ListenerRegistry listeners) {
    checkCodec();
    OutboxDispatcher.Builder builder =
        OutboxDispatcher.builder(connections, store)
            .config(config)
            .listeners(listeners)
            .propagation(propagation)
            .metrics(metrics);
    if (node != null) {
      builder.node(node);
    }
    if (onDead != null) {
      builder.onDead(onDead);
    }
    if (retries != null) {
      builder.retries(retries);
    }
    retriesByTopic.forEach(builder::retries);
    return builder;
  }

  /** Gives the work queue on the same table the limits of the engine. */
  final void limit(OutboxBuilder queue) {
    queue
        .maxAttempts(config.getRetryMaxAttempts())
        .maxLeaseExpiries(config.getMaxLeaseExpiries())
        .propagation(propagation)
        .codec(codec);
    if (storeName != null) {
      queue.storeName(storeName);
    }
  }

  /** A housekeeper that runs. */
  final Housekeeping startHousekeeping(
      String table, ConnectionProvider connections, LeasedEventStore store) {
    Housekeeping housekeeping =
        new Housekeeping(retention, connections, config.getNetworkTimeout());
    housekeeping.add(new EventRetention(table, housekeeping::connection, store, retention));
    return housekeeping;
  }

  /** A poller that runs; null if polling is off. */
  final @Nullable OutboxPoller startPoller(
      ConnectionProvider connections, LeasedEventStore store, OutboxDispatcher dispatcher) {
    if (!config.isPollerEnabled()) {
      return null;
    }
    OutboxPoller poller =
        new OutboxPoller(
            connections,
            store,
            dispatcher,
            Duration.ofMillis(config.getPollerSkipRecentMs()),
            config.getPollerBatchSize(),
            config.getPollerIntervalMs(),
            metrics);
    poller.start();
    return poller;
  }
}

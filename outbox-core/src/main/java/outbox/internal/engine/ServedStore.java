package outbox.internal.engine;

import java.time.Duration;
import outbox.Joins;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxConfig;
import outbox.internal.engine.intake.StorePoller;
import outbox.routing.OutboxStore;
import outbox.spi.TxContext;

/** One of many stores: its store, its poller and its outbox. Thread-safe. */
public final class ServedStore {
  private final StoreRuntime runtime;
  private final StorePoller poller;
  private final Outbox outbox;

  public ServedStore(WorkerRuntime workers, StoreRuntime runtime) {
    OutboxConfig config = workers.config();
    this.runtime = runtime;
    this.poller =
        runtime.poller(
            store(),
            Duration.ofMillis(config.getPollerSkipRecentMs()),
            config.getPollerBatchSize(),
            Duration.ofMillis(config.getPollerIntervalMs()),
            workers.metrics());
    this.outbox = outbox(workers);
  }

  private Outbox outbox(WorkerRuntime workers) {
    OutboxConfig config = workers.config();
    OutboxStore store = store();
    OutboxBuilder builder =
        OutboxBuilder.of(store.applicationConnections(), store.events())
            .storeName(store.identifier())
            .propagation(workers.propagation())
            .codec(store.codec())
            .maxAttempts(config.getRetryMaxAttempts())
            .maxLeaseExpiries(config.getMaxLeaseExpiries())
            .onCommit(runtime.wakeups()::now)
            .onUnseenCommit(runtime.wakeups()::soon)
            .onStoredForLater(runtime.wakeups())
            .hotPath(runtime.intake(), workers.metrics());
    TxContext txContext = store.txContext();
    if (txContext != null) {
      builder.txContext(txContext);
    }
    Joins joins = store.joins();
    if (joins != null) {
      builder.joins(joins);
      store.onDue(runtime.wakeups()::soon);
    }
    return builder.build();
  }

  void startPolling() {
    poller.start();
  }

  public OutboxStore store() {
    return runtime.outboxStore();
  }

  public StoreRuntime runtime() {
    return runtime;
  }

  public StorePoller poller() {
    return poller;
  }

  public Outbox outbox() {
    return outbox;
  }
}

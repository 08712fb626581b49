package outbox.dispatch;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.QueuedEvent.Source;
import outbox.dispatch.StoreTask.Kind;
import outbox.registry.DefaultListenerRegistry;
import outbox.routing.OutboxStore;
import outbox.routing.RoundRobinOutboxSelectionStrategy;
import outbox.spi.MetricsExporter;
import outbox.spi.StoreException;
import outbox.testing.InMemoryEventStore;

/** A scheduler, and stores in memory that are served by it. */
abstract class ScheduledStores {
  static final int PERMITS = 16;
  static final int PROBES = 2;
  static final int LOOKS = 4;
  static final Duration LOOK_PERIOD = Duration.ofMinutes(1);

  final OutboxConfig config =
      new OutboxConfig()
          .setColdQueueCapacity(120)
          .setHotQueueCapacity(1)
          .setPollerBatchSize(10)
          .setPollerIntervalMs(LOOK_PERIOD.toMillis());
  final WorkerRuntime workers =
      new WorkerRuntime(
          config,
          new DefaultListenerRegistry().registerAll(event -> {}),
          new TopicRetries(config, null, Map.of()),
          MetricsExporter.NOOP);
  final TaskScheduler scheduler =
      new TaskScheduler(
          TaskQueues.ofMany(workers, new RoundRobinOutboxSelectionStrategy(), PERMITS));

  StoreTask take() throws InterruptedException {
    return Objects.requireNonNull(scheduler.take());
  }

  static void fail(ServedStore store) {
    store
        .runtime()
        .health()
        .failed("test", new StoreException("down", new SQLException("connection refused")));
  }

  List<ServedStore> stores(int count) {
    List<ServedStore> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(served("store-" + i));
    }
    return all;
  }

  ServedStore served(String name) {
    return served(name, new InMemoryEventStore());
  }

  ServedStore served(String name, InMemoryEventStore events) {
    StoreSetup parts =
        new StoreSetup(
            name,
            OutboxStore.builder(name, events.connections(), events).build(),
            true,
            new OwnerTokens("me"),
            new DefaultInFlightTracker(),
            null);
    ServedStore store = new ServedStore(workers, new StoreRuntime(workers, parts, scheduler));
    store.poller().listen();
    return store;
  }

  /** Leaves no room for what is enqueued, so that it has to be claimed. */
  void fillHotLane() {
    workers.lanes().offerHot(delivery());
  }

  static Delivery delivery() {
    QueuedEvent event = new QueuedEvent(EventEnvelope.ofJson("Any", "{}"), Source.COLD, 0);
    return Delivery.of(event, new Hold("me", 0));
  }

  static StoreTask task(ServedStore store, Kind kind) {
    return new StoreTask(store.runtime(), kind, share -> null);
  }
}

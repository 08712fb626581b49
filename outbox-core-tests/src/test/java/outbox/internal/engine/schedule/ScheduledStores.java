package outbox.internal.engine.schedule;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.internal.engine.ServedStore;
import outbox.internal.engine.StoreRuntime;
import outbox.internal.engine.StoreSetup;
import outbox.internal.engine.WorkerRuntime;
import outbox.internal.engine.delivery.Deliveries;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Delivery.Hold;
import outbox.internal.engine.delivery.Origin;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.WorkerLog;
import outbox.internal.engine.handling.RetryRules;
import outbox.internal.engine.lease.OwnerTokens;
import outbox.internal.engine.schedule.StoreTask.Kind;
import outbox.registry.DefaultListenerRegistry;
import outbox.routing.OutboxStore;
import outbox.routing.RoundRobinOutboxSelectionStrategy;
import outbox.spi.MetricsExporter;
import outbox.spi.StoreException;
import outbox.testing.memory.InMemoryEventStore;

/** A scheduler, and stores in memory that are served by it. */
public abstract class ScheduledStores {
  protected static final int PERMITS = 16;
  protected static final int PROBES = 2;
  protected static final int LOOKS = 4;
  protected static final Duration LOOK_PERIOD = Duration.ofMinutes(1);

  protected final OutboxConfig config =
      new OutboxConfig()
          .setColdQueueCapacity(120)
          .setHotQueueCapacity(1)
          .setPollerBatchSize(10)
          .setPollerIntervalMs(LOOK_PERIOD.toMillis());

  /** Nanoseconds that have passed for the log of the workers, beside those of the clock. */
  protected final AtomicLong passed = new AtomicLong();

  protected final WorkerRuntime workers =
      new WorkerRuntime(
          config,
          new DefaultListenerRegistry().registerAll(event -> {}),
          new NoRetries(),
          MetricsExporter.NOOP,
          new WorkerLog(() -> System.nanoTime() + passed.get()));
  protected final TaskScheduler scheduler =
      new TaskScheduler(
          TaskQueues.ofMany(
              workers.lanes(), config, new RoundRobinOutboxSelectionStrategy(), PERMITS));

  protected StoreTask take() throws InterruptedException {
    return Objects.requireNonNull(scheduler.take());
  }

  protected static void fail(ServedStore store) {
    store
        .runtime()
        .health()
        .failed("test", new StoreException("down", new SQLException("connection refused")));
  }

  protected List<ServedStore> stores(int count) {
    List<ServedStore> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(served("store-" + i));
    }
    return all;
  }

  protected ServedStore served(String name) {
    return served(name, new InMemoryEventStore());
  }

  protected ServedStore served(String name, InMemoryEventStore events) {
    StoreSetup parts =
        new StoreSetup(
            name,
            OutboxStore.builder(name, events.connections(), events).build(),
            true,
            new OwnerTokens("me"),
            id -> true,
            id -> {},
            null);
    ServedStore store = new ServedStore(workers, new StoreRuntime(workers, parts, scheduler));
    store.poller().listen();
    return store;
  }

  /** Leaves no room for what is enqueued, so that it has to be claimed. */
  protected void fillHotLane() {
    workers.lanes().offerHot(delivery());
  }

  protected static Delivery delivery() {
    return delivery(Deliveries.ORIGIN);
  }

  protected static Delivery delivery(Origin origin) {
    return Delivery.queued(origin, EventEnvelope.ofJson("Any", "{}"), 0, new Hold("me", 0));
  }

  protected static StoreTask task(ServedStore store, Kind kind) {
    return new StoreTask(store.runtime(), kind, share -> null);
  }

  /** Ends what fails. */
  private static final class NoRetries implements RetryRules {
    @Override
    public Outcome outcomeOf(Delivery delivery, Throwable error) {
      return new Outcome.Dead("failed", error.toString());
    }

    @Override
    public boolean releasesKey(String topic) {
      return false;
    }

    @Override
    public int maxAttempts(String topic) {
      return 1;
    }
  }
}

package outbox.internal.engine;

import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetterListener;
import outbox.EventListener;
import outbox.OutboxConfig;
import outbox.internal.engine.common.EngineThreads;
import outbox.internal.engine.completion.DeadLetterNotifier;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.WorkerLog;
import outbox.internal.engine.handling.RetryRules;
import outbox.internal.engine.intake.OldestLag;
import outbox.internal.engine.lanes.Backpressure;
import outbox.internal.engine.lanes.Lanes;
import outbox.internal.engine.lanes.Worker;
import outbox.internal.engine.lanes.WorkerPool;
import outbox.internal.guard.QuietMetrics;
import outbox.internal.handler.HandlerListener;
import outbox.registry.ListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;

/**
 * What a process has once, however many databases it serves: settings, listeners, the two lanes and
 * the workers that handle what is in them. Thread-safe.
 */
public final class WorkerRuntime {
  private final OutboxConfig config;
  private final ListenerRegistry listeners;
  private final RetryRules retries;
  private final MetricsExporter metrics;
  private final WorkerLog workerLog;
  private final OldestLag lag;
  private final Lanes lanes;
  private final WorkerPool workers;
  private Propagation propagation = Propagation.NONE;
  private Backpressure backpressure = Backpressure.NONE;
  private DeadLetterNotifier deaths = new DeadLetterNotifier(null);

  public WorkerRuntime(
      OutboxConfig config,
      ListenerRegistry listeners,
      RetryRules retries,
      MetricsExporter metrics) {
    this(config, listeners, retries, metrics, new WorkerLog());
  }

  public WorkerRuntime(
      OutboxConfig config,
      ListenerRegistry listeners,
      RetryRules retries,
      MetricsExporter metrics,
      WorkerLog workerLog) {
    this.config = config;
    this.workerLog = workerLog;
    this.listeners = listeners;
    this.retries = retries;
    this.metrics = QuietMetrics.of(metrics);
    this.lag = new OldestLag(this.metrics);
    this.lanes =
        new Lanes(
            config.getHotQueueCapacity(),
            config.getHotQueueBytes(),
            config.getColdQueueCapacity(),
            config.getColdQueueBytes(),
            new BatchRules(listeners, retries));
    ThreadFactory threads =
        config.isVirtualThreads()
            ? EngineThreads.virtual("outbox-worker-")
            : EngineThreads.platform("outbox-worker-");
    this.workers = new WorkerPool(threads, () -> new Worker(lanes, backpressure).run());
  }

  /** Tells the listener, if there is one, of events that die; said before any store is made. */
  public void onDead(@Nullable DeadLetterListener listener) {
    deaths = new DeadLetterNotifier(listener);
  }

  /** What goes with each event to its listeners; said before any store is made. */
  public void propagating(Propagation propagation) {
    this.propagation = propagation;
  }

  /** What workers wait for before they take an event; said before the start. */
  public void backpressure(Backpressure backpressure) {
    this.backpressure = backpressure;
  }

  Propagation propagation() {
    return propagation;
  }

  DeadLetterNotifier deaths() {
    return deaths;
  }

  public void start() {
    workers.start(config.getDispatcherWorkers());
  }

  /** Takes the place of a worker whose thread does not come back. */
  void replaceWorker() {
    workers.startOne();
  }

  OutboxConfig config() {
    return config;
  }

  ListenerRegistry listeners() {
    return listeners;
  }

  /** Whether the messages of this topic are the library's own, which no metric counts. */
  boolean isInternal(String topic) {
    for (EventListener listener : listeners.listenersFor(topic)) {
      if (listener instanceof HandlerListener handler && handler.isInternal()) {
        return true;
      }
    }
    return false;
  }

  RetryRules retries() {
    return retries;
  }

  WorkerLog workerLog() {
    return workerLog;
  }

  MetricsExporter metrics() {
    return metrics;
  }

  OldestLag lag() {
    return lag;
  }

  public Lanes lanes() {
    return lanes;
  }

  /** Whether the calling thread is a worker, which cannot wait for the end of all workers. */
  boolean isWorker() {
    return workers.isWorker();
  }

  /** Takes no more events; the workers end when they have worked off what is queued. */
  void closeLanes() {
    lanes.close();
  }

  /** Takes out what is still queued of the stores meant. */
  List<Delivery> unload(Predicate<Delivery> whose) {
    return lanes.drain(whose);
  }

  /** Waits until all workers have ended; returns false if the time is over first. */
  boolean awaitEnd(long nanos) throws InterruptedException {
    return workers.awaitEnd(nanos);
  }
}

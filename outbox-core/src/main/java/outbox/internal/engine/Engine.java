package outbox.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import outbox.internal.engine.common.EngineThreads;
import outbox.internal.engine.common.Waiter;
import outbox.internal.engine.common.Waits;
import outbox.internal.engine.lease.LeaseRenewer;
import outbox.internal.engine.schedule.StoreTask;
import outbox.internal.engine.schedule.TaskQueues;
import outbox.internal.engine.schedule.TaskScheduler;
import outbox.routing.OutboxSelectionStrategy;

/**
 * Serves the stores of a process, be it one or many: workers that handle events, a scheduler of
 * what is to be done at the stores, and a bounded number of threads that do it, each on one
 * connection at a time. One more thread watches the clock. Thread-safe.
 */
public final class Engine {
  private static final Duration PAUSE_AFTER_ERROR = Duration.ofSeconds(1);

  private final WorkerRuntime workers;
  private final TaskScheduler scheduler;
  private final int maxThreads;
  private final List<Thread> threads = new ArrayList<>();
  private final Set<StoreRuntime> runtimes = ConcurrentHashMap.newKeySet();
  private final Set<Thread> retiring = ConcurrentHashMap.newKeySet();
  private final Waiter timer = new Waiter();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  private Engine(WorkerRuntime workers, TaskQueues queues, int maxThreads) {
    this.workers = workers;
    this.scheduler = new TaskScheduler(queues);
    this.maxThreads = maxThreads;
    workers.lanes().onColdRoom(scheduler::look);
  }

  /** For one store, each of whose tasks may run beside all others. */
  public static Engine ofOne(WorkerRuntime workers) {
    return new Engine(
        workers,
        TaskQueues.ofOne(workers.lanes(), workers.config().getPollerBatchSize()),
        StoreTask.Kind.values().length);
  }

  /** For many stores, whose tasks share so many connections. */
  public static Engine ofMany(
      WorkerRuntime workers, OutboxSelectionStrategy strategy, int maxConnections) {
    return new Engine(
        workers,
        TaskQueues.ofMany(workers.lanes(), workers.config(), strategy, maxConnections),
        maxConnections);
  }

  public WorkerRuntime workers() {
    return workers;
  }

  TaskScheduler scheduler() {
    return scheduler;
  }

  /** What {@link #serve} takes. */
  public StoreRuntime runtime(StoreSetup parts) {
    return new StoreRuntime(workers, parts, scheduler);
  }

  /** Serves this store too from now on. */
  public void serve(StoreRuntime runtime) {
    runtimes.add(runtime);
  }

  public void start() {
    workers.start();
    for (int i = 1; i <= maxThreads; i++) {
      threads.add(EngineThreads.start("outbox-store-" + i, this::performTasks));
    }
    threads.add(EngineThreads.start("outbox-timer", this::watchTheClock));
  }

  private void performTasks() {
    try {
      for (StoreTask task = scheduler.take(); task != null; task = scheduler.take()) {
        perform(task);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void perform(StoreTask task) {
    Duration pause = PAUSE_AFTER_ERROR;
    try {
      pause = task.perform();
    } finally {
      scheduler.done(task, pause);
    }
  }

  private void watchTheClock() {
    Duration tick = LeaseRenewer.tick(workers.config().getLeaseDuration());
    try {
      while (closed.getCount() > 0) {
        timer.await(tick);
        runtimes.forEach(StoreRuntime::watch);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes one store out while the others keep running; returns at once. */
  void retire(StoreRuntime runtime) {
    Shutdown shutdown = Shutdown.of(runtime, workers);
    retiring.add(
        EngineThreads.start(
            "outbox-retirement",
            () -> {
              shutdown.run();
              shutdown.completed(() -> runtime.leave(shutdown.end()));
              runtimes.remove(runtime);
              retiring.remove(Thread.currentThread());
            }));
  }

  /** Whether this is the call that shuts everything down; any other one waits for that one. */
  public boolean beginClose() {
    boolean first = closing.compareAndSet(false, true);
    if (!first && !workers.isWorker() && !Waits.completed(closed::await)) {
      Thread.currentThread().interrupt();
    }
    return first;
  }

  boolean isClosing() {
    return closing.get();
  }

  /** Takes these stores out together, and then whatever else there is. */
  public void close(Collection<StoreRuntime> last) {
    Shutdown shutdown = Shutdown.of(last, workers);
    try {
      shutdown.run();
      retiring.forEach(shutdown.end()::join);
      shutdown.completed(() -> workers.deaths().close(shutdown.end().rest()));
    } finally {
      scheduler.close();
      closed.countDown();
      timer.wake();
      runtimes.forEach(StoreRuntime::stopConnections);
      threads.forEach(shutdown.end()::join);
      last.forEach(StoreRuntime::close);
      shutdown.restoreInterrupt();
    }
  }
}

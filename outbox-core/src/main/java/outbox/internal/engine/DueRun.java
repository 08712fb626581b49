package outbox.internal.engine;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import outbox.OutboxConfig;
import outbox.internal.engine.intake.StorePoller;
import outbox.internal.util.Deadline;

/**
 * Handles what is due at a store while the caller waits: claims on the calling thread, runs
 * listeners on the workers. Thread-safe.
 */
public final class DueRun {
  private static final long PAUSE_NANOS = 500_000;

  private final WorkerRuntime workers;
  private final StoreRuntime runtime;
  private final StorePoller poller;

  /** A run of a store; claims in the batches of the configuration. */
  public DueRun(WorkerRuntime workers, StoreRuntime runtime) {
    this.workers = workers;
    this.runtime = runtime;
    OutboxConfig config = workers.config();
    this.poller =
        runtime.poller(
            runtime.outboxStore(),
            Duration.ofMillis(config.getPollerSkipRecentMs()),
            config.getPollerBatchSize(),
            Duration.ofMillis(config.getPollerIntervalMs()),
            workers.metrics());
  }

  /**
   * Returns once nothing is due, queued, running or waiting for its outcome to be stored.
   *
   * @return how many events it has claimed
   * @throws TimeoutException if the limit is over first
   * @throws IllegalStateException on a worker, which would wait for itself
   */
  public int run(Duration limit) throws InterruptedException, TimeoutException {
    if (workers.isWorker()) {
      throw new IllegalStateException(
          "a listener must not wait for the events that are due; call this from another thread");
    }
    Deadline end = Deadline.in(limit);
    int total = 0;
    while (true) {
      awaitIdle(end, limit);
      // What ended before the claim may have left something due; what is claimed is waited for.
      int claimed = poller.poll();
      total += claimed;
      if (claimed == 0 && isIdle()) {
        return total;
      }
      if (end.isOver()) {
        throw new TimeoutException("events still become due after " + limit);
      }
    }
  }

  private void awaitIdle(Deadline end, Duration limit)
      throws InterruptedException, TimeoutException {
    while (!isIdle()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (end.isOver()) {
        throw new TimeoutException(
            runtime.inFlight().size() + " events are still being handled after " + limit);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** In the order of an event's way: confirmed, in flight, its outcome stored, its death told. */
  private boolean isIdle() {
    return runtime.isConfirmed()
        && runtime.isIdle()
        && runtime.isFlushed()
        && workers.deaths().isIdle();
  }
}

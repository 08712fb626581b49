package outbox.benchmarks;

import java.util.concurrent.atomic.LongAdder;
import outbox.spi.MetricsExporter;

/** Counts what the library says it has completed. */
final class CompletionCounter implements MetricsExporter {
  private final LongAdder completed = new LongAdder();
  private final LongAdder dropped = new LongAdder();

  long completed() {
    return completed.sum();
  }

  long dropped() {
    return dropped.sum();
  }

  @Override
  public void incrementDispatchSuccess() {
    completed.increment();
  }

  @Override
  public void incrementHotDropped() {
    dropped.increment();
  }

  @Override
  public void incrementHotEnqueued() {}

  @Override
  public void incrementColdEnqueued() {}

  @Override
  public void incrementDispatchFailure() {}

  @Override
  public void incrementDispatchDead() {}

  @Override
  public void recordQueueDepths(int hotDepth, int coldDepth) {}

  @Override
  public void recordOldestLagMs(long lagMs) {}
}

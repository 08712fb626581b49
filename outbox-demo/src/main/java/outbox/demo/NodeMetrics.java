package outbox.demo;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import outbox.spi.MetricsExporter;

/** The engine's counters, as an application would export them. Thread-safe. */
final class NodeMetrics implements MetricsExporter {
  private final LongAdder hotEnqueued = new LongAdder();
  private final LongAdder hotDropped = new LongAdder();
  private final LongAdder coldEnqueued = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private final Set<Thread> handedOver = ConcurrentHashMap.newKeySet();

  long hotEnqueued() {
    return hotEnqueued.sum();
  }

  long hotDropped() {
    return hotDropped.sum();
  }

  long coldEnqueued() {
    return coldEnqueued.sum();
  }

  long dead() {
    return dead.sum();
  }

  /**
   * Whether the event that this thread has just committed went to the hot queue. The engine counts
   * on the committing thread, so the thread tells which event a count is about.
   */
  boolean wentHot() {
    return handedOver.remove(Thread.currentThread());
  }

  @Override
  public void incrementHotEnqueued() {
    hotEnqueued.increment();
    handedOver.add(Thread.currentThread());
  }

  @Override
  public void incrementHotDropped() {
    hotDropped.increment();
  }

  @Override
  public void incrementColdEnqueued() {
    coldEnqueued.increment();
  }

  @Override
  public void incrementDispatchSuccess() {}

  @Override
  public void incrementDispatchFailure() {}

  @Override
  public void incrementDispatchDead() {
    dead.increment();
  }

  @Override
  public void recordQueueDepths(int hotDepth, int coldDepth) {}

  @Override
  public void recordOldestLagMs(long lagMs) {}
}

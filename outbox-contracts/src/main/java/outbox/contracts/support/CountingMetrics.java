package outbox.contracts.support;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import outbox.spi.MetricsExporter;

/** Counts what the engine reports, for assertions. Thread-safe. */
public final class CountingMetrics implements MetricsExporter {
  private final AtomicInteger hotEnqueued = new AtomicInteger();
  private final AtomicInteger hotDropped = new AtomicInteger();
  private final AtomicInteger coldEnqueued = new AtomicInteger();
  private final AtomicInteger success = new AtomicInteger();
  private final AtomicInteger failure = new AtomicInteger();
  private final AtomicInteger dead = new AtomicInteger();
  private final AtomicInteger leaseLost = new AtomicInteger();
  private final AtomicInteger depthReports = new AtomicInteger();
  private final AtomicInteger claimed = new AtomicInteger();
  private final AtomicInteger flushed = new AtomicInteger();
  private final AtomicLong storeNanos = new AtomicLong();
  private final Map<String, Integer> outages = new ConcurrentHashMap<>();
  private final Set<String> down = ConcurrentHashMap.newKeySet();
  private volatile int hotDepth = -1;
  private volatile int coldDepth = -1;
  private final AtomicLong oldestLagMs = new AtomicLong(-1);

  public CountingMetrics() {}

  public int hotEnqueued() {
    return hotEnqueued.get();
  }

  public int hotDropped() {
    return hotDropped.get();
  }

  public int coldEnqueued() {
    return coldEnqueued.get();
  }

  public int success() {
    return success.get();
  }

  public int failure() {
    return failure.get();
  }

  public int dead() {
    return dead.get();
  }

  public int leaseLost() {
    return leaseLost.get();
  }

  public int depthReports() {
    return depthReports.get();
  }

  /** Returns how many events all claims got. */
  public int claimed() {
    return claimed.get();
  }

  /** Returns how many outcomes all flushes stored. */
  public int flushed() {
    return flushed.get();
  }

  /** Returns how long claims and flushes took together. */
  public Duration storeTime() {
    return Duration.ofNanos(storeNanos.get());
  }

  @Override
  public void recordClaim(int events, Duration took) {
    claimed.addAndGet(events);
    storeNanos.addAndGet(took.toNanos());
  }

  @Override
  public void recordFlush(int events, Duration took) {
    flushed.addAndGet(events);
    storeNanos.addAndGet(took.toNanos());
  }

  /** Returns the last depth reported of the hot lane; -1 before. */
  public int hotDepth() {
    return hotDepth;
  }

  /** Returns the last depth reported of the cold lane; -1 before. */
  public int coldDepth() {
    return coldDepth;
  }

  /** How often the store was reported to have stopped answering. */
  public int outages(String store) {
    return outages.getOrDefault(store, 0);
  }

  /** Whether the store was last reported not to answer. */
  public boolean isDown(String store) {
    return down.contains(store);
  }

  /** The last lag reported; -1 before. */
  public long oldestLagMs() {
    return oldestLagMs.get();
  }

  @Override
  public void incrementHotEnqueued() {
    hotEnqueued.incrementAndGet();
  }

  @Override
  public void incrementHotDropped() {
    hotDropped.incrementAndGet();
  }

  @Override
  public void incrementColdEnqueued() {
    coldEnqueued.incrementAndGet();
  }

  @Override
  public void incrementDispatchSuccess() {
    success.incrementAndGet();
  }

  @Override
  public void incrementDispatchFailure() {
    failure.incrementAndGet();
  }

  @Override
  public void incrementDispatchDead() {
    dead.incrementAndGet();
  }

  @Override
  public void recordQueueDepths(int hotDepth, int coldDepth) {
    this.hotDepth = hotDepth;
    this.coldDepth = coldDepth;
    depthReports.incrementAndGet();
  }

  @Override
  public void recordOldestLagMs(long lagMs) {
    oldestLagMs.set(lagMs);
  }

  @Override
  public void recordOutage(String store, boolean down) {
    if (down) {
      outages.merge(store, 1, Integer::sum);
      this.down.add(store);
    } else {
      this.down.remove(store);
    }
  }

  @Override
  public void incrementLeaseLost() {
    leaseLost.incrementAndGet();
  }
}

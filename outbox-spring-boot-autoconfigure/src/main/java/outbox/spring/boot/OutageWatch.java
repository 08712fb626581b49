package outbox.spring.boot;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;
import outbox.spi.MetricsExporter;

/**
 * Remembers for the health indicator which queue's database does not answer, and when each queue
 * was polled last. Thread-safe.
 */
final class OutageWatch implements QueueMetrics {
  private final Set<String> down = new ConcurrentSkipListSet<>();
  private final Map<String, Poll> polls = new ConcurrentHashMap<>();

  /** The queues whose database does not answer. */
  Set<String> down() {
    return Set.copyOf(down);
  }

  /** The last successful poll of each queue that has an engine. */
  Map<String, Poll> polls() {
    return new TreeMap<>(polls);
  }

  @Override
  public MetricsExporter of(String queue) {
    polls.put(queue, new Poll(null, 0));
    return new CombinedMetrics.Silent() {
      @Override
      public void recordOutage(String store, boolean isDown) {
        if (isDown) {
          down.add(queue);
        } else {
          down.remove(queue);
        }
      }

      @Override
      public void recordQueueDepths(int hotDepth, int coldDepth) {
        polls.put(queue, new Poll(Instant.now(), hotDepth + coldDepth));
      }
    };
  }

  /**
   * A poll that the database answered.
   *
   * @param at when; null before the first
   * @param waiting how many events waited in memory then
   */
  record Poll(@Nullable Instant at, int waiting) {}
}

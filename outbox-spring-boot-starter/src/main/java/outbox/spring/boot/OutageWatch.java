package outbox.spring.boot;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import outbox.spi.MetricsExporter;

/** Remembers for the health indicator which queue's database does not answer. Thread-safe. */
final class OutageWatch implements QueueMetrics {
  private final Set<String> down = new ConcurrentSkipListSet<>();

  /** The queues whose database does not answer. */
  Set<String> down() {
    return Set.copyOf(down);
  }

  @Override
  public MetricsExporter of(String queue) {
    return new CombinedMetrics.Silent() {
      @Override
      public void recordOutage(String store, boolean isDown) {
        if (isDown) {
          down.add(queue);
        } else {
          down.remove(queue);
        }
      }
    };
  }
}

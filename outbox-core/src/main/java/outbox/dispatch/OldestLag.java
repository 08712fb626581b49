package outbox.dispatch;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import outbox.spi.MetricsExporter;

/** The age of the eldest event that the last claims found, over all stores. Thread-safe. */
final class OldestLag {
  private final MetricsExporter metrics;
  private final Map<StoreRuntime, Long> lags = new ConcurrentHashMap<>();

  OldestLag(MetricsExporter metrics) {
    this.metrics = metrics;
  }

  void record(StoreRuntime runtime, long millis) {
    if (millis > 0) {
      lags.put(runtime, millis);
    } else {
      lags.remove(runtime);
    }
    metrics.recordOldestLagMs(lags.values().stream().mapToLong(Long::longValue).max().orElse(0));
  }

  void forget(StoreRuntime runtime) {
    lags.remove(runtime);
  }
}

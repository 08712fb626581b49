package outbox.dispatch;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import outbox.spi.MetricsExporter;

/** The age of the eldest event that the last claims found, over all stations. Thread-safe. */
final class OldestLag {
  private final MetricsExporter metrics;
  private final Map<Station, Long> lags = new ConcurrentHashMap<>();

  OldestLag(MetricsExporter metrics) {
    this.metrics = metrics;
  }

  void record(Station station, long millis) {
    if (millis > 0) {
      lags.put(station, millis);
    } else {
      lags.remove(station);
    }
    metrics.recordOldestLagMs(lags.values().stream().mapToLong(Long::longValue).max().orElse(0));
  }

  void forget(Station station) {
    lags.remove(station);
  }
}

package outbox.internal.engine.intake;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import outbox.internal.engine.delivery.Origin;
import outbox.spi.MetricsExporter;

/** The age of the oldest event that the last claims found, over all stores. Thread-safe. */
public final class OldestLag {
  private final MetricsExporter metrics;
  private final Map<Origin, Long> lags = new ConcurrentHashMap<>();

  public OldestLag(MetricsExporter metrics) {
    this.metrics = metrics;
  }

  public void record(Origin origin, long millis) {
    if (millis > 0) {
      lags.put(origin, millis);
    } else {
      lags.remove(origin);
    }
    metrics.recordOldestLagMs(lags.values().stream().mapToLong(Long::longValue).max().orElse(0));
  }

  public void forget(Origin origin) {
    lags.remove(origin);
  }
}

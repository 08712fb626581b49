package outbox.spring.boot;

import java.time.Duration;
import java.util.function.Supplier;
import outbox.metrics.Activity;
import outbox.metrics.ActivityMeter;
import outbox.spi.MetricsExporter;

/** Counts what the application's own outbox delivers, for the dashboard. Thread-safe. */
final class DeliveryRates implements QueueMetrics, Supplier<Activity> {
  private final ActivityMeter outbox;

  DeliveryRates(Duration window) {
    this.outbox = new ActivityMeter(window);
  }

  @Override
  public MetricsExporter of(String queue) {
    return queue.equals(OUTBOX) ? outbox : MetricsExporter.NOOP;
  }

  @Override
  public Activity get() {
    return outbox.get();
  }
}

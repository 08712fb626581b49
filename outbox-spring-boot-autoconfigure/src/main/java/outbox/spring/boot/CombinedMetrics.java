package outbox.spring.boot;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import outbox.internal.guard.QuietMetrics;
import outbox.spi.DeliveryRecord;
import outbox.spi.MetricsExporter;

/** Tells several exporters. */
final class CombinedMetrics implements MetricsExporter {
  private final List<MetricsExporter> all;

  private CombinedMetrics(List<MetricsExporter> all) {
    this.all = all;
  }

  static MetricsExporter of(List<MetricsExporter> all) {
    return switch (all.size()) {
      case 0 -> MetricsExporter.NOOP;
      case 1 -> all.get(0);
      default -> new CombinedMetrics(all.stream().map(QuietMetrics::of).toList());
    };
  }

  private void each(Consumer<MetricsExporter> report) {
    all.forEach(report);
  }

  @Override
  public void incrementHotEnqueued() {
    each(MetricsExporter::incrementHotEnqueued);
  }

  @Override
  public void incrementHotDropped() {
    each(MetricsExporter::incrementHotDropped);
  }

  @Override
  public void incrementColdEnqueued() {
    each(MetricsExporter::incrementColdEnqueued);
  }

  @Override
  public void incrementDispatchSuccess() {
    each(MetricsExporter::incrementDispatchSuccess);
  }

  @Override
  public void incrementDispatchFailure() {
    each(MetricsExporter::incrementDispatchFailure);
  }

  @Override
  public void incrementDispatchDead() {
    each(MetricsExporter::incrementDispatchDead);
  }

  @Override
  public void recordQueueDepths(int hotDepth, int coldDepth) {
    each(exporter -> exporter.recordQueueDepths(hotDepth, coldDepth));
  }

  @Override
  public void recordOldestLagMs(long lagMs) {
    each(exporter -> exporter.recordOldestLagMs(lagMs));
  }

  @Override
  public void incrementLeaseLost() {
    each(MetricsExporter::incrementLeaseLost);
  }

  @Override
  public void recordOutage(String store, boolean down) {
    each(exporter -> exporter.recordOutage(store, down));
  }

  @Override
  public void recordDelivery(DeliveryRecord delivery) {
    each(exporter -> exporter.recordDelivery(delivery));
  }

  @Override
  public void recordClaim(int events, Duration took) {
    each(exporter -> exporter.recordClaim(events, took));
  }

  @Override
  public void recordFlush(int events, Duration took) {
    each(exporter -> exporter.recordFlush(events, took));
  }

  /** Discards everything, for those who want to hear little. */
  abstract static class Silent implements MetricsExporter {
    @Override
    public void incrementHotEnqueued() {}

    @Override
    public void incrementHotDropped() {}

    @Override
    public void incrementColdEnqueued() {}

    @Override
    public void incrementDispatchSuccess() {}

    @Override
    public void incrementDispatchFailure() {}

    @Override
    public void incrementDispatchDead() {}

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {}

    @Override
    public void recordOldestLagMs(long lagMs) {}
  }
}

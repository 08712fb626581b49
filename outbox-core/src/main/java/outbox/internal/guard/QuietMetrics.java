package outbox.internal.guard;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import outbox.spi.DeliveryRecord;
import outbox.spi.MetricsExporter;

/** Keeps an exporter that throws from harming its callers; says so once. */
public final class QuietMetrics implements MetricsExporter {
  private static final Logger LOG = System.getLogger(MetricsExporter.class.getName());

  private final MetricsExporter metrics;
  private final AtomicBoolean logged = new AtomicBoolean();

  private QuietMetrics(MetricsExporter metrics) {
    this.metrics = metrics;
  }

  /** Returns an exporter that logs the first failure of {@code metrics} and drops all failures. */
  public static MetricsExporter of(MetricsExporter metrics) {
    boolean quiet = metrics == NOOP || metrics instanceof QuietMetrics;
    return quiet ? metrics : new QuietMetrics(metrics);
  }

  @Override
  public void incrementHotEnqueued() {
    report(metrics::incrementHotEnqueued);
  }

  @Override
  public void incrementHotDropped() {
    report(metrics::incrementHotDropped);
  }

  @Override
  public void incrementColdEnqueued() {
    report(metrics::incrementColdEnqueued);
  }

  @Override
  public void incrementDispatchSuccess() {
    report(metrics::incrementDispatchSuccess);
  }

  @Override
  public void incrementDispatchFailure() {
    report(metrics::incrementDispatchFailure);
  }

  @Override
  public void incrementDispatchDead() {
    report(metrics::incrementDispatchDead);
  }

  @Override
  public void incrementLeaseLost() {
    report(metrics::incrementLeaseLost);
  }

  @Override
  public void recordQueueDepths(int hotDepth, int coldDepth) {
    report(() -> metrics.recordQueueDepths(hotDepth, coldDepth));
  }

  @Override
  public void recordOldestLagMs(long lagMs) {
    report(() -> metrics.recordOldestLagMs(lagMs));
  }

  @Override
  public void recordOutage(String store, boolean down) {
    report(() -> metrics.recordOutage(store, down));
  }

  @Override
  public void recordDelivery(DeliveryRecord delivery) {
    report(() -> metrics.recordDelivery(delivery));
  }

  @Override
  public void recordClaim(int events, Duration took) {
    report(() -> metrics.recordClaim(events, took));
  }

  @Override
  public void recordFlush(int events, Duration took) {
    report(() -> metrics.recordFlush(events, took));
  }

  private void report(Runnable call) {
    try {
      call.run();
    } catch (Throwable e) {
      if (!logged.getAndSet(true)) {
        LOG.log(Level.ERROR, "metrics exporter failed, continuing without it", e);
      }
    }
  }
}

package outbox.metrics;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.function.Supplier;
import outbox.spi.DeliveryRecord;
import outbox.spi.MetricsExporter;

/**
 * Counts the deliveries of an engine over a rolling window, and passes all that it is told on to
 * another exporter: to be given to the engine as its metrics, and to the component that shows
 * throughput and failure ratio as their source. Thread-safe.
 */
public final class ActivityMeter implements MetricsExporter, Supplier<Activity> {
  private final MetricsExporter next;
  private final RollingActivity activity;

  /** A meter that passes nothing on. */
  public ActivityMeter(Duration window) {
    this(window, MetricsExporter.NOOP);
  }

  /**
   * A meter before another exporter.
   *
   * @throws IllegalArgumentException if the window is not positive
   */
  public ActivityMeter(Duration window, MetricsExporter next) {
    this.activity = new RollingActivity(window);
    this.next = requireNonNull(next, "next");
  }

  /** What was delivered within the window. */
  @Override
  public Activity get() {
    return activity.activity();
  }

  @Override
  public void incrementDispatchSuccess() {
    activity.processed(1);
    next.incrementDispatchSuccess();
  }

  @Override
  public void incrementDispatchFailure() {
    activity.failed(1);
    next.incrementDispatchFailure();
  }

  @Override
  public void incrementDispatchDead() {
    next.incrementDispatchDead();
  }

  @Override
  public void incrementHotEnqueued() {
    next.incrementHotEnqueued();
  }

  @Override
  public void incrementHotDropped() {
    next.incrementHotDropped();
  }

  @Override
  public void incrementColdEnqueued() {
    next.incrementColdEnqueued();
  }

  @Override
  public void recordQueueDepths(int hotDepth, int coldDepth) {
    next.recordQueueDepths(hotDepth, coldDepth);
  }

  @Override
  public void recordOldestLagMs(long lagMs) {
    next.recordOldestLagMs(lagMs);
  }

  @Override
  public void incrementLeaseLost() {
    next.incrementLeaseLost();
  }

  @Override
  public void recordOutage(String store, boolean down) {
    next.recordOutage(store, down);
  }

  @Override
  public void recordDelivery(DeliveryRecord delivery) {
    next.recordDelivery(delivery);
  }

  @Override
  public void recordClaim(int events, Duration took) {
    next.recordClaim(events, took);
  }

  @Override
  public void recordFlush(int events, Duration took) {
    next.recordFlush(events, took);
  }
}

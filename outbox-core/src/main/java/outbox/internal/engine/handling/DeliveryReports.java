package outbox.internal.engine.handling;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.StoreTime;
import outbox.spi.DeliveryRecord;
import outbox.spi.MetricsExporter;

/** Measures deliveries for the metrics; measures nothing without an exporter. */
public final class DeliveryReports {
  private final MetricsExporter metrics;

  public DeliveryReports(MetricsExporter metrics) {
    this.metrics = metrics;
  }

  /** To be called when the listeners are about to run. */
  Report begin(Delivery delivery) {
    return metrics == MetricsExporter.NOOP || delivery.isInternal()
        ? Report.UNWANTED
        : new Measured(delivery);
  }

  /** A delivery under way. */
  interface Report {
    Report UNWANTED = outcome -> {};

    /** The listeners have ended; a null outcome means that the lease is lost. */
    void end(@Nullable Outcome outcome);
  }

  private final class Measured implements Report {
    private final String topic;
    private final int attempt;
    private final Duration waited;
    private final long startedNanos = System.nanoTime();

    Measured(Delivery delivery) {
      this.topic = delivery.eventType();
      this.attempt = delivery.attempts() + 1;
      this.waited = waited(delivery);
    }

    @Override
    public void end(@Nullable Outcome outcome) {
      Duration handled = Duration.ofNanos(System.nanoTime() - startedNanos);
      metrics.recordDelivery(new DeliveryRecord(topic, kind(outcome), attempt, waited, handled));
    }
  }

  /** Clocks of two machines may disagree: never negative. */
  private static Duration waited(Delivery delivery) {
    Instant since = StoreTime.waitsSince(delivery.createdAt(), delivery.envelope().dueAt());
    Duration waited = Duration.between(since, delivery.now());
    return waited.isNegative() ? Duration.ZERO : waited;
  }

  private static DeliveryRecord.Outcome kind(@Nullable Outcome outcome) {
    if (outcome == null) {
      return DeliveryRecord.Outcome.LOST;
    }
    if (outcome instanceof Outcome.Done) {
      return DeliveryRecord.Outcome.DONE;
    }
    if (outcome instanceof Outcome.Retry) {
      return DeliveryRecord.Outcome.RETRY;
    }
    return outcome instanceof Outcome.Dead
        ? DeliveryRecord.Outcome.DEAD
        : DeliveryRecord.Outcome.DEFERRED;
  }
}

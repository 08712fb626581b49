package outbox.internal.engine.handling;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import outbox.HandlerContext;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Run;

/** The deliveries of a batch together, as their listener may see them. Thread-safe. */
final class WholeBatch implements HandlerContext {
  private final Run run;
  private final List<Delivery> deliveries;
  private final Predicate<List<Delivery>> renewal;

  WholeBatch(Run run, List<Delivery> deliveries, Predicate<List<Delivery>> renewal) {
    this.run = run;
    this.deliveries = deliveries;
    this.renewal = renewal;
  }

  @Override
  public boolean isCancelled() {
    return run.isCancelled();
  }

  @Override
  public void onCancel(Runnable action) {
    run.onCancel(requireNonNull(action, "action"));
  }

  @Override
  public Duration leaseRemaining() {
    long now = System.nanoTime();
    long least = Long.MAX_VALUE;
    for (Delivery delivery : deliveries) {
      least = Math.min(least, delivery.hold().deadline() - now);
    }
    return Duration.ofNanos(Math.max(0, least));
  }

  @Override
  public boolean renewLease() {
    for (Delivery delivery : deliveries) {
      if (delivery.isGivenUp() || !delivery.stage().isRunning()) {
        return false;
      }
    }
    return renewal.test(deliveries);
  }
}

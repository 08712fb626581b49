package outbox.internal.engine.handling;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.function.Predicate;
import outbox.HandlerContext;
import outbox.internal.engine.delivery.Delivery;

/** A delivery as its handler may see it. Thread-safe. */
final class DeliveryContext implements HandlerContext {
  private final Delivery delivery;
  private final Predicate<Delivery> renewal;

  DeliveryContext(Delivery delivery, Predicate<Delivery> renewal) {
    this.delivery = delivery;
    this.renewal = renewal;
  }

  @Override
  public boolean isCancelled() {
    return delivery.run().isCancelled();
  }

  @Override
  public void onCancel(Runnable action) {
    delivery.run().onCancel(requireNonNull(action, "action"));
  }

  @Override
  public Duration leaseRemaining() {
    long nanos = delivery.hold().deadline() - System.nanoTime();
    return Duration.ofNanos(Math.max(0, nanos));
  }

  @Override
  public boolean renewLease() {
    return !delivery.isGivenUp() && delivery.stage().isRunning() && renewal.test(delivery);
  }
}

package outbox.internal.engine.lanes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery;

/**
 * In which batches a delivery may be.
 *
 * @param group deliveries of one store and group are gathered together: a topic, or the wildcard
 * @param size the most deliveries of its batch
 * @param linger how long a batch that is not full waits for more
 */
public record Gathering(String group, int size, Duration linger) {

  /** Knows how deliveries are gathered. Thread-safe. */
  @FunctionalInterface
  public interface Rules {
    Rules NONE = delivery -> null;

    /** Null if the delivery is handled alone. */
    @Nullable Gathering of(Delivery delivery);
  }
}

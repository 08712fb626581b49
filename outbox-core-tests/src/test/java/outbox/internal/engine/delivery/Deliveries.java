package outbox.internal.engine.delivery;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.engine.delivery.Delivery.Hold;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/** Deliveries for tests, of a store that is neither closed nor among many. */
public final class Deliveries {
  public static final Origin ORIGIN =
      new Origin() {
        @Override
        public String label() {
          return "";
        }

        @Override
        public boolean isInternal(String topic) {
          return false;
        }

        @Override
        public boolean isClosing() {
          return false;
        }

        @Override
        public boolean handle(Delivery delivery) {
          throw new UnsupportedOperationException("there is no store");
        }

        @Override
        public boolean handle(DeliveryBatch batch) {
          throw new UnsupportedOperationException("there is no store");
        }
      };

  private Deliveries() {}

  public static Delivery any() {
    return of(EventEnvelope.ofJson("Any", "{}"), "me");
  }

  public static Delivery of(EventEnvelope event, @Nullable String owner) {
    return Delivery.queued(ORIGIN, event, 0, new Hold(owner, 0));
  }

  public static Delivery claimed(EventEnvelope event, int attempts, Instant createdAt) {
    return claimed(event, attempts, createdAt, new Hold("me", 0), false, 0, 1);
  }

  public static Delivery claimed(
      EventEnvelope event,
      int attempts,
      Instant createdAt,
      Hold hold,
      boolean suspect,
      int leaseExpiries,
      int contentVersion) {
    OutboxEvent row = event.toEvent(createdAt).attempts(attempts).build();
    ClaimedEvent claimed =
        new ClaimedEvent(row, suspect, leaseExpiries, null, null, null, contentVersion);
    return Delivery.claimed(ORIGIN, event, claimed, hold, StoreTime.LOCAL);
  }
}

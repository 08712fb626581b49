package outbox.internal.engine.handling;

import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;

/** Decides what becomes of an event whose listener failed. Thread-safe. */
public interface RetryRules {

  Outcome outcomeOf(Delivery delivery, Throwable error);

  /** Deliveries in all; {@link Integer#MAX_VALUE} if their number has no limit. */
  int maxAttempts(String topic);

  /** Whether the next event of an ordering key starts when an event of this topic has died. */
  boolean releasesKey(String topic);
}

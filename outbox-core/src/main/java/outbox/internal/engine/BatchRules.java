package outbox.internal.engine;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.internal.batch.BatchedListener;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.handling.RetryRules;
import outbox.internal.engine.lanes.Gathering;
import outbox.registry.ListenerRegistry;

/**
 * Which events are gathered, by the batch listeners of their topic. An event that has failed comes
 * again in a quarter of the size for each attempt, with none that has failed less often, and its
 * last attempt is its own: one that makes its listener throw does not end those beside it. A
 * suspect is always alone. Thread-safe.
 */
final class BatchRules implements Gathering.Rules {
  private static final int LOG_OF_QUARTER = 2;
  private static final int MOST_BITS = 31;

  private final ListenerRegistry listeners;
  private final RetryRules retries;

  BatchRules(ListenerRegistry listeners, RetryRules retries) {
    this.listeners = listeners;
    this.retries = retries;
  }

  @Override
  public @Nullable Gathering of(Delivery delivery) {
    String topic = delivery.eventType();
    List<EventListener> all = listeners.listenersFor(topic);
    int size = 0;
    Duration linger = Duration.ZERO;
    boolean ofTopic = false;
    // By index: this is asked for every event, and most have one listener that wants no batch.
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i) instanceof BatchedListener batched) {
        size = Math.max(size, batched.batches().size());
        linger = longer(linger, batched.batches().linger());
        ofTopic |= !batched.isOfAll();
      }
    }
    int limit = size <= 1 ? size : limit(delivery, size);
    return limit <= 1
        ? null
        : new Gathering(ofTopic ? topic : BatchedListener.ALL_TOPICS, limit, linger);
  }

  private int limit(Delivery delivery, int size) {
    int attempts = delivery.attempts();
    if (attempts == 0) {
      return delivery.isSuspect() ? 1 : size;
    }
    boolean last = attempts + 1 >= retries.maxAttempts(delivery.eventType());
    return last || delivery.isSuspect()
        ? 1
        : size >> Math.min(MOST_BITS, attempts * LOG_OF_QUARTER);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }
}

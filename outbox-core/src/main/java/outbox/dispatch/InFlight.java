package outbox.dispatch;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The deliveries of this process by event id: the set whose leases are renewed. Thread-safe. */
final class InFlight {
  private final Map<String, Delivery> deliveries = new ConcurrentHashMap<>();
  private final InFlightTracker tracker;
  private volatile @Nullable Runnable onLeave;
  private volatile Consumer<Delivery> onRemove = delivery -> {};

  InFlight(InFlightTracker tracker) {
    this.tracker = tracker;
  }

  /**
   * Takes the delivery in, or drops it if its event is in flight already. A freshly claimed copy of
   * an event in flight means that this process's own lease had run out: the delivery in flight goes
   * on under the new token. One that was given up, or whose content was replaced, makes room.
   */
  boolean admit(Delivery delivery) {
    AtomicBoolean admitted = new AtomicBoolean();
    deliveries.compute(
        delivery.id(),
        (id, present) -> {
          if (present != null && !present.isGivenUp()) {
            present.standInFor(delivery);
          }
          if (present != null && !(present.isGivenUp() && delivery.isLeased())) {
            return present;
          }
          if (present != null) {
            tracker.release(id);
          }
          admitted.set(tracker.tryAcquire(id));
          return admitted.get() ? delivery : null;
        });
    return admitted.get();
  }

  /** From here on the delivery takes over no other token. */
  void remove(Delivery delivery) {
    deliveries.computeIfPresent(
        delivery.id(),
        (id, present) -> {
          if (present != delivery) {
            return present;
          }
          tracker.release(id);
          return null;
        });
    onRemove.accept(delivery);
    Runnable listener = onLeave;
    if (listener != null) {
      listener.run();
    }
  }

  /** Runs when a delivery has left. */
  void onLeave(Runnable listener) {
    onLeave = listener;
  }

  /** Runs for each delivery that leaves, be it in favour of a later one of its event. */
  void onRemove(Consumer<Delivery> listener) {
    onRemove = listener;
  }

  boolean contains(Delivery delivery) {
    return deliveries.get(delivery.id()) == delivery;
  }

  Collection<Delivery> all() {
    return deliveries.values();
  }

  int size() {
    return deliveries.size();
  }
}

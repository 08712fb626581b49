package outbox.dispatch;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The deliveries of this process by event id: the set whose leases are renewed. Thread-safe. */
final class InFlight {
  private final Map<String, Delivery> deliveries = new ConcurrentHashMap<>();
  private final InFlightTracker tracker;

  InFlight(InFlightTracker tracker) {
    this.tracker = tracker;
  }

  /**
   * Takes the delivery in, or drops it if its event is in flight already. A freshly claimed copy of
   * an event in flight means that this process's own lease had run out: the delivery in flight goes
   * on under the new token. One that was given up makes room.
   */
  boolean admit(Delivery delivery) {
    Delivery present = deliveries.get(delivery.id());
    if (present != null) {
      boolean givenUp = (present.isOverdue() || present.isLost()) && delivery.isLeased();
      if (!givenUp) {
        adopt(present, delivery);
        return false;
      }
      remove(present);
    }
    if (!tracker.tryAcquire(delivery.id())) {
      return false;
    }
    Delivery raced = deliveries.putIfAbsent(delivery.id(), delivery);
    if (raced != null) {
      adopt(raced, delivery);
    }
    return raced == null;
  }

  private static void adopt(Delivery present, Delivery copy) {
    if (copy.isLeased()) {
      present.hold(copy.hold());
    }
  }

  void remove(Delivery delivery) {
    if (deliveries.remove(delivery.id(), delivery)) {
      tracker.release(delivery.id());
    }
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

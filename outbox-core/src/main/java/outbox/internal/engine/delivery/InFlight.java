package outbox.internal.engine.delivery;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The deliveries of this process by event id: the set whose leases are renewed. Thread-safe. */
public final class InFlight {
  private final Map<String, Delivery> deliveries = new ConcurrentHashMap<>();
  private final Predicate<String> tryAcquire;
  private final Consumer<String> release;
  private volatile @Nullable Runnable onLeave;
  private volatile Consumer<Delivery> onAdmit = delivery -> {};
  private volatile Consumer<Delivery> onRemove = delivery -> {};

  /**
   * Empty.
   *
   * @param tryAcquire whether an event may be taken in, by its id
   * @param release called when an event leaves that was taken in
   */
  public InFlight(Predicate<String> tryAcquire, Consumer<String> release) {
    this.tryAcquire = tryAcquire;
    this.release = release;
  }

  /**
   * Takes the delivery in, or drops it if its event is in flight already. A freshly claimed copy of
   * an event in flight means that this process's own lease had expired: the delivery in flight goes
   * on under the new token. One that was given up, or whose content was replaced, makes room.
   */
  public boolean admit(Delivery delivery) {
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
            release.accept(id);
          }
          admitted.set(tryAcquire.test(id));
          return admitted.get() ? delivery : null;
        });
    if (admitted.get()) {
      onAdmit.accept(delivery);
    }
    return admitted.get();
  }

  /** From here on the delivery takes over no other token. */
  public void remove(Delivery delivery) {
    deliveries.computeIfPresent(
        delivery.id(),
        (id, present) -> {
          if (present != delivery) {
            return present;
          }
          release.accept(id);
          return null;
        });
    onRemove.accept(delivery);
    Runnable listener = onLeave;
    if (listener != null) {
      listener.run();
    }
  }

  /** Runs when a delivery has left. */
  public void onLeave(Runnable listener) {
    onLeave = listener;
  }

  /** Runs for each delivery that was taken in. */
  public void onAdmit(Consumer<Delivery> listener) {
    onAdmit = listener;
  }

  /** Runs for each delivery that leaves, be it in favour of a later one of its event. */
  public void onRemove(Consumer<Delivery> listener) {
    onRemove = listener;
  }

  public boolean contains(Delivery delivery) {
    return deliveries.get(delivery.id()) == delivery;
  }

  public Collection<Delivery> all() {
    return deliveries.values();
  }

  public int size() {
    return deliveries.size();
  }
}

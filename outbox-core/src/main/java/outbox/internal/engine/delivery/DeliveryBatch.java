package outbox.internal.engine.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Deliveries of one store that a worker handles together. Gathers in a lane, guarded by the lanes'
 * lock, until a worker takes it; from then on it belongs to that worker.
 */
public final class DeliveryBatch implements Work {
  private final Origin origin;
  private final String group;
  private final int limit;
  private final List<Delivery> deliveries = new ArrayList<>();
  private final Run run = new Run(this);

  /**
   * Empty.
   *
   * @param group which deliveries it gathers
   */
  public DeliveryBatch(Origin origin, String group, int limit) {
    this.origin = origin;
    this.group = group;
    this.limit = limit;
  }

  @Override
  public Origin origin() {
    return origin;
  }

  public void add(Delivery delivery) {
    deliveries.add(delivery);
  }

  public String group() {
    return group;
  }

  public int limit() {
    return limit;
  }

  public boolean isFull() {
    return deliveries.size() >= limit;
  }

  public int size() {
    return deliveries.size();
  }

  public List<Delivery> deliveries() {
    return deliveries;
  }

  /** Takes out what is meant, and puts it to the others. */
  public void removeIf(Predicate<Delivery> which, List<Delivery> removed) {
    deliveries.removeIf(delivery -> which.test(delivery) && removed.add(delivery));
  }

  /** The one run of all its listeners, on the thread of its worker. */
  public Run run() {
    return run;
  }

  @Override
  public boolean handle() {
    return origin.handle(this);
  }

  @Override
  public String toString() {
    return "batch size=" + deliveries.size() + origin.label();
  }
}

package outbox.internal.engine.lanes;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.DeliveryBatch;
import outbox.internal.engine.delivery.Origin;

/**
 * The batches of a lane that may still grow: those that wait in its queue for a worker, and those
 * that linger, which no worker may take yet. Guarded by the lanes' lock.
 */
final class Gatherings {
  static final long NEVER = Long.MAX_VALUE;

  private final FairQueue queue;
  private final Map<Key, Open> open = new HashMap<>();
  private int lingering;

  /**
   * None.
   *
   * @param queue takes those that linger no longer
   */
  Gatherings(FairQueue queue) {
    this.queue = queue;
  }

  /** Deliveries with one key share a batch. */
  private record Key(Origin origin, String group, int size) {}

  private static final class Open {
    private final DeliveryBatch batch;
    private final long untilNanos;
    private boolean lingers;

    Open(DeliveryBatch batch, Gathering gathering) {
      this.batch = batch;
      this.lingers = !gathering.linger().isZero();
      this.untilNanos = lingers ? System.nanoTime() + gathering.linger().toNanos() : 0;
    }
  }

  /** Where a delivery went. */
  enum Place {
    /** Into a new batch in the queue, which is there for a worker. */
    NEW,
    /** Into a batch that others wait for or work on already. */
    PRESENT,
    /** Into a new batch that lingers, so that workers have a time to wait for. */
    LINGERS
  }

  /** Puts a delivery into the open batch of its group, or into a new one. */
  Place add(Delivery delivery, Gathering gathering) {
    Key key = new Key(delivery.origin(), gathering.group(), gathering.size());
    Open present = open.get(key);
    Open into = present == null ? begin(key, gathering) : present;
    DeliveryBatch batch = into.batch;
    batch.add(delivery);
    Place place = Place.PRESENT;
    if (into.lingers && batch.isFull()) {
      toQueue(into);
      place = Place.NEW;
    } else if (into.lingers) {
      place = present == null ? Place.LINGERS : Place.PRESENT;
    } else if (present == null) {
      queue.add(batch, 1);
      place = Place.NEW;
    } else {
      queue.grown(batch);
    }
    if (batch.isFull()) {
      open.remove(key);
    }
    return place;
  }

  private Open begin(Key key, Gathering gathering) {
    Open begun = new Open(new DeliveryBatch(key.origin, key.group, key.size), gathering);
    open.put(key, begun);
    lingering += begun.lingers ? 1 : 0;
    return begun;
  }

  private void toQueue(Open each) {
    each.lingers = false;
    lingering--;
    queue.add(each.batch, each.batch.size());
  }

  /** A worker has the batch: no more deliveries get into it. */
  void close(DeliveryBatch batch) {
    Key key = new Key(batch.origin(), batch.group(), batch.limit());
    open.computeIfPresent(key, (same, present) -> present.batch == batch ? null : present);
  }

  /** How many deliveries are in batches that linger. */
  int size() {
    int size = 0;
    if (lingering > 0) {
      for (Open each : open.values()) {
        size += each.lingers ? each.batch.size() : 0;
      }
    }
    return size;
  }

  /** How long the next batch lingers; {@link #NEVER} if none does. */
  long nanosToNext() {
    if (lingering == 0) {
      return NEVER;
    }
    long now = System.nanoTime();
    long next = NEVER;
    for (Open each : open.values()) {
      next = each.lingers ? Math.min(next, each.untilNanos - now) : next;
    }
    return next;
  }

  /** Gives those to the queue that have lingered long enough, or all. */
  void release(boolean all) {
    if (lingering == 0) {
      return;
    }
    long now = System.nanoTime();
    for (Open each : open.values()) {
      if (each.lingers && (all || now - each.untilNanos >= 0)) {
        toQueue(each);
      }
    }
  }

  /** Takes out of lingering batches what is meant, and forgets batches that are empty. */
  void removeIf(Predicate<Delivery> which, List<Delivery> removed) {
    for (Open each : open.values()) {
      if (each.lingers) {
        each.batch.removeIf(which, removed);
        lingering -= each.batch.size() == 0 ? 1 : 0;
      }
    }
    open.values().removeIf(each -> each.batch.size() == 0);
  }
}

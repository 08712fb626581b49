package outbox.internal.engine.lanes;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.DeliveryBatch;
import outbox.internal.engine.delivery.Origin;
import outbox.internal.engine.delivery.Work;

/**
 * A queue that is bounded in number and in bytes. Guarded by the lock of {@link Lanes}, except for
 * the guess whether there is room.
 */
final class Lane {
  private final FairQueue events = new FairQueue();
  private final Gatherings gatherings = new Gatherings(events);
  private final int capacity;
  private final long maxBytes;

  /** The size of an event that did not fit; zero once room for it was told of. */
  private long wanted;

  private volatile int size;
  private volatile long bytes;

  Lane(int capacity, long maxBytes) {
    this.capacity = capacity;
    this.maxBytes = maxBytes;
  }

  /** An empty lane takes any event, so that one larger than the lane can pass at all. */
  boolean hasRoom(int more, long moreBytes) {
    int present = size + more;
    return present == 1 || (present <= capacity && bytes + moreBytes <= maxBytes);
  }

  boolean offer(Delivery delivery) {
    if (!makesRoom(delivery)) {
      return false;
    }
    events.add(delivery, 1);
    changed(bytes + delivery.bytes());
    return true;
  }

  /** Puts it into a batch; returns where, or null if there is no room. */
  Gatherings.@Nullable Place offer(Delivery delivery, Gathering gathering) {
    if (!makesRoom(delivery)) {
      return null;
    }
    Gatherings.Place place = gatherings.add(delivery, gathering);
    changed(bytes + delivery.bytes());
    return place;
  }

  private boolean makesRoom(Delivery delivery) {
    boolean room = hasRoom(1, delivery.bytes());
    wanted = room ? wanted : delivery.bytes();
    return room;
  }

  Work poll() {
    Work work = events.remove();
    long taken = 0;
    if (work instanceof DeliveryBatch batch) {
      gatherings.close(batch);
      taken = bytesOf(batch.deliveries());
    } else {
      taken = ((Delivery) work).bytes();
    }
    changed(bytes - taken);
    return work;
  }

  private static long bytesOf(List<Delivery> deliveries) {
    long sum = 0;
    for (Delivery delivery : deliveries) {
      sum += delivery.bytes();
    }
    return sum;
  }

  /** Whether there is nothing to take now. */
  boolean isIdle() {
    return events.isEmpty();
  }

  /** Whether there is nothing at all, be it for later. */
  boolean isEmpty() {
    return size == 0;
  }

  /** See {@link Gatherings#nanosToNext}. */
  long nanosToNext() {
    return gatherings.nanosToNext();
  }

  /** See {@link Gatherings#release}. */
  void releaseLingering(boolean all) {
    gatherings.release(all);
  }

  int capacity() {
    return capacity;
  }

  int size() {
    return size;
  }

  /** See {@link FairQueue#hasShare}. */
  boolean hasShare(Origin party, int more) {
    return events.hasShare(party, more, capacity);
  }

  /** See {@link FairQueue#isShareFree}. */
  boolean isShareFree(Origin party) {
    return events.isShareFree(party);
  }

  void roomTold() {
    wanted = 0;
  }

  boolean isHalfEmpty() {
    return size <= capacity / 2 && hasBytes();
  }

  /** An empty lane has, as it takes any event. */
  boolean hasBytes() {
    return isEmpty() || (bytes <= maxBytes / 2 && bytes + wanted <= maxBytes);
  }

  int freeCount() {
    return capacity - size;
  }

  long freeBytes() {
    return maxBytes - bytes;
  }

  List<Delivery> removeIf(Predicate<Delivery> which) {
    List<Delivery> removed = events.removeIf(which);
    gatherings.removeIf(which, removed);
    changed(bytes - bytesOf(removed));
    return removed;
  }

  private void changed(long newBytes) {
    bytes = newBytes;
    size = events.size() + gatherings.size();
  }
}

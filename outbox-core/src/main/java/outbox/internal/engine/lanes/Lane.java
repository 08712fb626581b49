package outbox.internal.engine.lanes;

import java.util.List;
import java.util.function.Predicate;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Origin;

/**
 * A queue that is bounded in number and in bytes. Guarded by the lock of {@link Lanes}, except for
 * the guess whether there is room.
 */
final class Lane {
  private final FairQueue events = new FairQueue();
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
    if (!hasRoom(1, delivery.bytes())) {
      wanted = delivery.bytes();
      return false;
    }
    events.add(delivery);
    changed(bytes + delivery.bytes());
    return true;
  }

  Delivery poll() {
    Delivery delivery = events.remove();
    changed(bytes - delivery.bytes());
    return delivery;
  }

  boolean isEmpty() {
    return events.isEmpty();
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
    return events.size() <= capacity / 2 && hasBytes();
  }

  /** An empty lane has, as it takes any event. */
  boolean hasBytes() {
    return isEmpty() || (bytes <= maxBytes / 2 && bytes + wanted <= maxBytes);
  }

  int freeCount() {
    return capacity - events.size();
  }

  long freeBytes() {
    return maxBytes - bytes;
  }

  List<Delivery> removeIf(Predicate<Delivery> which) {
    List<Delivery> removed = events.removeIf(which);
    changed(bytes - removed.stream().mapToLong(Delivery::bytes).sum());
    return removed;
  }

  private void changed(long newBytes) {
    bytes = newBytes;
    size = events.size();
  }
}

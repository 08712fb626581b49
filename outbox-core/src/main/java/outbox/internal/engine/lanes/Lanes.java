package outbox.internal.engine.lanes;

import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Origin;
import outbox.internal.engine.delivery.Work;

/**
 * The hot and the cold lane, each bounded in number and in bytes, waited on together: hot first,
 * but one cold event in every few so that a busy hot lane does not starve the cold one. In each,
 * the stores take turns. Thread-safe.
 */
public final class Lanes {
  private static final int TAKES_PER_COLD = 8;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition notEmpty = lock.newCondition();
  private final Gathering.Rules gatherings;
  private final Lane hot;
  private final Lane cold;
  private int hotTakesInARow;
  private volatile boolean closed;
  private Runnable onColdRoom = () -> {};
  private boolean coldWasRefused;

  /** Without batches. */
  public Lanes(int hotCapacity, long hotBytes, int coldCapacity, long coldBytes) {
    this(hotCapacity, hotBytes, coldCapacity, coldBytes, Gathering.Rules.NONE);
  }

  /**
   * Empty.
   *
   * @param gatherings which deliveries are handled in batches
   */
  public Lanes(
      int hotCapacity,
      long hotBytes,
      int coldCapacity,
      long coldBytes,
      Gathering.Rules gatherings) {
    this.gatherings = gatherings;
    this.hot = new Lane(hotCapacity, hotBytes);
    this.cold = new Lane(coldCapacity, coldBytes);
  }

  public boolean offerHot(Delivery delivery) {
    return offer(hot, delivery);
  }

  public boolean offerCold(Delivery delivery) {
    return offer(cold, delivery);
  }

  private boolean offer(Lane lane, Delivery delivery) {
    Gathering gathering = gatherings.of(delivery);
    lock.lock();
    try {
      if (closed
          || !(gathering == null ? queued(lane, delivery) : gathered(lane, delivery, gathering))) {
        coldWasRefused |= lane == cold;
        return false;
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean queued(Lane lane, Delivery delivery) {
    boolean taken = lane.offer(delivery);
    if (taken) {
      notEmpty.signal();
    }
    return taken;
  }

  private boolean gathered(Lane lane, Delivery delivery, Gathering gathering) {
    Gatherings.Place place = lane.offer(delivery, gathering);
    if (place == Gatherings.Place.NEW) {
      notEmpty.signal();
    } else if (place == Gatherings.Place.LINGERS) {
      notEmpty.signalAll(); // each worker that waits has to wake in time
    }
    return place != null;
  }

  /** Waits for an event or a batch of either lane; null once closed and empty. */
  public @Nullable Work take() throws InterruptedException {
    Work taken;
    boolean room = false;
    lock.lockInterruptibly();
    try {
      while (isIdle()) {
        if (closed) {
          return null;
        }
        long nanos = Math.min(hot.nanosToNext(), cold.nanosToNext());
        if (nanos == Gatherings.NEVER) {
          notEmpty.await();
        } else {
          long unused = notEmpty.awaitNanos(nanos);
        }
      }
      boolean turnOfCold = hotTakesInARow >= TAKES_PER_COLD - 1 && !cold.isIdle();
      if (hot.isIdle() || turnOfCold) {
        taken = cold.poll();
        hotTakesInARow = 0;
        boolean ofShare = cold.isShareFree(taken.origin());
        room = isColdRoomToBeTold() || ofShare;
      } else {
        taken = hot.poll();
        hotTakesInARow = Math.min(hotTakesInARow + 1, TAKES_PER_COLD);
      }
    } finally {
      lock.unlock();
    }
    if (room) {
      onColdRoom.run();
    }
    return taken;
  }

  private boolean isIdle() {
    hot.releaseLingering(closed);
    cold.releaseLingering(closed);
    return hot.isIdle() && cold.isIdle();
  }

  private boolean isColdRoomToBeTold() {
    boolean room = coldWasRefused && cold.isHalfEmpty();
    if (room) {
      coldWasRefused = false;
      cold.roomTold();
    }
    return room;
  }

  /** A guess, made without the lock because every publisher asks; only an offer decides. */
  public boolean hasHotRoom(int events, long bytes) {
    return !closed && hot.hasRoom(events, bytes);
  }

  /**
   * Room for how many more cold events; zero also when half of their bytes are used, or when they
   * would not do for the event that was refused last: a claim brings one event at the least, and it
   * should fit.
   */
  public int coldRoom() {
    lock.lock();
    try {
      int room = closed || !cold.hasBytes() ? 0 : cold.freeCount();
      coldWasRefused |= room < (cold.capacity() + 1) / 2;
      return room;
    } finally {
      lock.unlock();
    }
  }

  public int coldCapacity() {
    return cold.capacity();
  }

  /** Payload bytes that the cold lane can take with this many events; at least one. */
  public long coldBytesFor(int events) {
    lock.lock();
    try {
      return Math.max(1, cold.freeBytes() - events * Delivery.BYTES_BESIDE_PAYLOAD);
    } finally {
      lock.unlock();
    }
  }

  /** Whether a store may claim so many more; if not, {@link #onColdRoom} tells when it may. */
  public boolean hasColdShare(Origin party, int more) {
    lock.lock();
    try {
      return cold.hasShare(party, more);
    } finally {
      lock.unlock();
    }
  }

  public int hotDepth() {
    return depth(hot);
  }

  public int coldDepth() {
    return depth(cold);
  }

  private int depth(Lane lane) {
    lock.lock();
    try {
      return lane.size();
    } finally {
      lock.unlock();
    }
  }

  /** Runs when the cold lane, or a store's share of it, is half empty after it was too full. */
  public void onColdRoom(Runnable listener) {
    lock.lock();
    try {
      onColdRoom = listener;
    } finally {
      lock.unlock();
    }
  }

  /** Refuses further events; takers work off the rest and then get null. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      notEmpty.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Takes out at once what is meant. */
  public List<Delivery> drain(Predicate<Delivery> which) {
    List<Delivery> taken;
    boolean room;
    lock.lock();
    try {
      taken = hot.removeIf(which);
      taken.addAll(cold.removeIf(which));
      room = isColdRoomToBeTold();
    } finally {
      lock.unlock();
    }
    if (room) {
      onColdRoom.run();
    }
    return taken;
  }
}

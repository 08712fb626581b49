package outbox.dispatch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The hot and the cold lane, each bounded in number and in bytes, waited on together: hot first,
 * but one cold event in every few so that a busy hot lane starves nobody. Thread-safe.
 */
final class Lanes {
  private static final int TAKES_PER_COLD = 8;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition notEmpty = lock.newCondition();
  private final Lane hot;
  private final Lane cold;
  private int hotTakesInARow;
  private volatile boolean closed;
  private Runnable onColdRoom = () -> {};
  private boolean coldWasRefused;

  Lanes(int hotCapacity, long hotBytes, int coldCapacity, long coldBytes) {
    this.hot = new Lane(hotCapacity, hotBytes);
    this.cold = new Lane(coldCapacity, coldBytes);
  }

  boolean offerHot(Delivery delivery) {
    return offer(hot, delivery);
  }

  boolean offerCold(Delivery delivery) {
    return offer(cold, delivery);
  }

  private boolean offer(Lane lane, Delivery delivery) {
    lock.lock();
    try {
      if (closed || !lane.offer(delivery)) {
        return false;
      }
      notEmpty.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for an event of either lane; null once closed and empty. */
  @Nullable Delivery take() throws InterruptedException {
    Delivery taken;
    boolean room = false;
    lock.lockInterruptibly();
    try {
      while (hot.isEmpty() && cold.isEmpty()) {
        if (closed) {
          return null;
        }
        notEmpty.await();
      }
      boolean turnOfCold = hotTakesInARow >= TAKES_PER_COLD - 1 && !cold.isEmpty();
      if (hot.isEmpty() || turnOfCold) {
        taken = cold.poll();
        hotTakesInARow = 0;
        room = coldWasRefused && cold.isHalfEmpty();
        coldWasRefused &= !room;
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

  /** A guess, made without the lock because every publisher asks; only an offer decides. */
  boolean hasHotRoom(long bytes) {
    return !closed && hot.hasRoom(bytes);
  }

  /** Room for how many more cold events; zero also when their bytes are used up. */
  int coldRoom() {
    lock.lock();
    try {
      int room = closed || cold.freeBytes() <= 0 ? 0 : cold.freeCount();
      coldWasRefused |= room < (cold.capacity + 1) / 2;
      return room;
    } finally {
      lock.unlock();
    }
  }

  /** Payload bytes that the cold lane can take with this many events; at least one. */
  long coldBytesFor(int events) {
    lock.lock();
    try {
      return Math.max(1, cold.freeBytes() - events * Delivery.BYTES_BESIDE_PAYLOAD);
    } finally {
      lock.unlock();
    }
  }

  int hotDepth() {
    return depth(hot);
  }

  int coldDepth() {
    return depth(cold);
  }

  private int depth(Lane lane) {
    lock.lock();
    try {
      return lane.events.size();
    } finally {
      lock.unlock();
    }
  }

  /** Runs when the cold lane is half empty after someone found it too full. */
  void onColdRoom(Runnable listener) {
    lock.lock();
    try {
      onColdRoom = listener;
    } finally {
      lock.unlock();
    }
  }

  /** Refuses further events; takers work off the rest and then get null. */
  void close() {
    lock.lock();
    try {
      closed = true;
      notEmpty.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Takes out at once what is meant. */
  List<Delivery> drain(Predicate<Delivery> which) {
    lock.lock();
    try {
      List<Delivery> taken = hot.removeIf(which);
      taken.addAll(cold.removeIf(which));
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** One bounded queue; guarded by the lock of both. */
  private static final class Lane {
    private final Queue<Delivery> events = new ArrayDeque<>();
    private final int capacity;
    private final long maxBytes;
    private volatile int size;
    private volatile long bytes;

    Lane(int capacity, long maxBytes) {
      this.capacity = capacity;
      this.maxBytes = maxBytes;
    }

    /** An empty lane takes any event, so that one larger than the lane can pass at all. */
    boolean hasRoom(long more) {
      int present = size;
      return present == 0 || (present < capacity && bytes + more <= maxBytes);
    }

    boolean offer(Delivery delivery) {
      if (!hasRoom(delivery.bytes())) {
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

    boolean isHalfEmpty() {
      return events.size() <= capacity / 2 && bytes <= maxBytes / 2;
    }

    int freeCount() {
      return capacity - events.size();
    }

    long freeBytes() {
      return maxBytes - bytes;
    }

    List<Delivery> removeIf(Predicate<Delivery> which) {
      List<Delivery> removed = new ArrayList<>();
      events.removeIf(delivery -> which.test(delivery) && removed.add(delivery));
      changed(bytes - removed.stream().mapToLong(Delivery::bytes).sum());
      return removed;
    }

    private void changed(long newBytes) {
      bytes = newBytes;
      size = events.size();
    }
  }
}

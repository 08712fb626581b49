package outbox.jdbc.internal.pool;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts the open connections of all databases together, so that they never exceed the bound, and
 * keeps the unused ones, the last used first. A session that was told to end still counts at its
 * server for a moment, so its place is given away a little later; a few places are kept free in
 * advance, so that no caller has to wait for that. Thread-safe.
 */
final class WarmConnections {
  private static final long LINGER_NANOS = Duration.ofMillis(50).toNanos();
  private static final int PLACES_PER_FREE_ONE = 4;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();
  private final int max;
  private final int headroom;
  private final long idleNanos;
  private final Deque<Warm> idle = new ArrayDeque<>();
  private final Deque<Long> lingering = new ArrayDeque<>();
  private int taken;
  private int waiting;
  private boolean closed;

  /** One that is kept, and since when. */
  record Warm(TenantDatabase database, Connection connection, long since) {}

  WarmConnections(int max, Duration idleLimit) {
    this.max = max;
    this.headroom = Math.max(1, max / PLACES_PER_FREE_ONE);
    this.idleNanos = idleLimit.toNanos();
  }

  /**
   * Takes a warm connection of the database, or a place for a new one; waits for whichever comes
   * first.
   *
   * @return null with the place; a connection of this database; or one of another, which the caller
   *     must close before it asks again
   */
  @Nullable Warm take(TenantDatabase database) throws InterruptedException {
    lock.lockInterruptibly();
    waiting++;
    try {
      while (true) {
        free();
        Warm own = removeOf(database);
        if (own != null) {
          return own;
        }
        if (taken < max) {
          taken++;
          return null;
        }
        if (lingering.size() < waiting && !idle.isEmpty()) {
          return idle.pollLast();
        }
        Long next = lingering.peekFirst();
        long unused =
            freed.awaitNanos(next == null ? LINGER_NANOS : Math.max(1, next - System.nanoTime()));
      }
    } finally {
      waiting--;
      lock.unlock();
    }
  }

  /** Takes a warm connection of the database; null if there is none. */
  @Nullable Warm takeIdle(TenantDatabase database) {
    lock.lock();
    try {
      return removeOf(database);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Warm removeOf(TenantDatabase database) {
    for (Iterator<Warm> all = idle.iterator(); all.hasNext(); ) {
      Warm warm = all.next();
      if (warm.database() == database) {
        all.remove();
        return warm;
      }
    }
    return null;
  }

  private void free() {
    long now = System.nanoTime();
    for (Long end = lingering.peekFirst();
        end != null && end - now <= 0;
        end = lingering.peekFirst()) {
      lingering.removeFirst();
      taken--;
    }
  }

  /** A connection that had a place is closed now, or could not be opened. */
  void leavePlace() {
    lock.lock();
    try {
      lingering.addLast(System.nanoTime() + LINGER_NANOS);
      freed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Keeps a connection; returns false if the caller must close it. */
  boolean keep(TenantDatabase database, Connection connection) {
    lock.lock();
    try {
      if (closed || database.isClosed()) {
        return false;
      }
      idle.addFirst(new Warm(database, connection, System.nanoTime()));
      freed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Takes one out that has been idle too long or whose place should be free; else null. */
  @Nullable Warm takeSuperfluous() {
    lock.lock();
    try {
      free();
      Warm oldest = idle.peekLast();
      boolean crowded = max - taken + lingering.size() < headroom;
      boolean old = oldest != null && System.nanoTime() - oldest.since() > idleNanos;
      return crowded || old ? idle.pollLast() : null;
    } finally {
      lock.unlock();
    }
  }

  /** Keeps nothing from here on, and takes any one out; null if there is none left. */
  @Nullable Warm takeForClose() {
    lock.lock();
    try {
      closed = true;
      return idle.pollLast();
    } finally {
      lock.unlock();
    }
  }
}

package outbox.jdbc;

import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many connections may be in use at once. The engine and the application each leave a part to
 * the other, so that neither can shut the other out. Thread-safe.
 */
final class ConnectionBound {
  private static final int PARTS = 4;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();
  private final int max;
  private final Map<User, Integer> inUse = new EnumMap<>(User.class);
  private int total;

  /** Who uses a connection. */
  enum User {
    ENGINE,
    APPLICATION
  }

  ConnectionBound(int max) {
    this.max = max;
  }

  int max() {
    return max;
  }

  /** The most that one of the users can have. */
  static int share(int max) {
    return max - Math.max(1, max / PARTS);
  }

  void acquire(User user, Duration limit, Object database) throws SQLTransientConnectionException {
    long rest = limit.toNanos();
    lock.lock();
    try {
      while (total >= max || of(user) >= share(max)) {
        if (rest <= 0) {
          throw new SQLTransientConnectionException(
              "no connection for store="
                  + database
                  + " within "
                  + limit
                  + ": all of maxConnections="
                  + max
                  + " are in use; raise maxConnections, or shorten what transactional listeners do",
              "08001");
        }
        rest = freed.awaitNanos(rest);
      }
      total++;
      inUse.merge(user, 1, Integer::sum);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException(
          "interrupted while waiting for a connection for store=" + database, "08001", e);
    } finally {
      lock.unlock();
    }
  }

  void release(User user) {
    lock.lock();
    try {
      total--;
      inUse.merge(user, -1, Integer::sum);
      freed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private int of(User user) {
    return inUse.getOrDefault(user, 0);
  }
}

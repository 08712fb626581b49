package outbox.jdbc.internal.pool;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import outbox.spi.ConnectionsBusyException;

/**
 * How many callers of the application may be on their way to a connection of one database at once:
 * a few, and one if the database has just failed. So a database that does not answer takes few of
 * the connections that all share, and those who ask for it in vain are told at once. Thread-safe.
 */
final class ConnectAttempts {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final int max;
  private int underWay;
  private boolean failing;

  ConnectAttempts(int max) {
    this.max = max;
  }

  /** Waits for a turn; returns what is left of the limit. Followed by one {@link #leave}. */
  Duration enter(Duration limit, Object database) throws SQLException {
    long rest = limit.toNanos();
    lock.lock();
    try {
      while (underWay >= (failing ? 1 : max)) {
        if (failing) {
          throw new SQLTransientConnectionException(
              "store="
                  + database
                  + " does not answer: the last attempt to connect failed, and the next is under"
                  + " way; try again later",
              "08001");
        }
        if (rest <= 0) {
          throw new ConnectionsBusyException(
              "no connection for store="
                  + database
                  + " within "
                  + limit
                  + ": "
                  + underWay
                  + " others wait for one; raise maxConnections, or connectionTimeout");
        }
        rest = changed.awaitNanos(rest);
      }
      underWay++;
      return Duration.ofNanos(Math.max(0, rest));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConnectionsBusyException(
          "interrupted while waiting for a connection for store=" + database, e);
    } finally {
      lock.unlock();
    }
  }

  /** Notes whether the database gave a connection. */
  void answered(boolean connected) {
    lock.lock();
    try {
      failing = !connected;
    } finally {
      lock.unlock();
    }
  }

  void leave() {
    lock.lock();
    try {
      underWay--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

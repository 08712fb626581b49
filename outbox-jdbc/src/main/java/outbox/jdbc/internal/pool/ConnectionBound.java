package outbox.jdbc.internal.pool;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import outbox.spi.ConnectionsBusyException;

/**
 * How many connections may be in use at once. The engine and the application each leave a part to
 * the other, so that neither can shut the other out; in the engine, outcomes and leases go before
 * claims. Thread-safe.
 */
public final class ConnectionBound {
  private static final int PARTS = 4;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();
  private final int max;
  private int ofEngine;
  private int ofApplication;
  private int upkeepWaiting;

  /** Who uses a connection, and what for. */
  public enum User {
    UPKEEP,
    CLAIM,
    APPLICATION
  }

  public ConnectionBound(int max) {
    this.max = max;
  }

  public int max() {
    return max;
  }

  /** The most that the engine, or the application, can have. */
  public static int share(int max) {
    return max - Math.max(1, max / PARTS);
  }

  void acquire(User user, Duration limit, Object database) throws ConnectionsBusyException {
    lock.lock();
    try {
      if (user == User.UPKEEP) {
        upkeepWaiting++;
      }
      try {
        awaitTurn(user, limit, database);
      } finally {
        if (user == User.UPKEEP && --upkeepWaiting == 0) {
          freed.signalAll();
        }
      }
      count(user, 1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConnectionsBusyException(
          "interrupted while waiting for a connection for store=" + database, e);
    } finally {
      lock.unlock();
    }
  }

  private void awaitTurn(User user, Duration limit, Object database)
      throws InterruptedException, ConnectionsBusyException {
    long rest = limit.toNanos();
    while (!mayHave(user)) {
      if (rest <= 0) {
        throw new ConnectionsBusyException(
            "no connection for store="
                + database
                + " within "
                + limit
                + ": all of maxConnections="
                + max
                + " are in use; raise maxConnections, or shorten what transactional listeners do");
      }
      rest = freed.awaitNanos(rest);
    }
  }

  private boolean mayHave(User user) {
    boolean free = ofEngine + ofApplication < max;
    return switch (user) {
      case UPKEEP -> free && ofEngine < share(max);
      case CLAIM -> free && ofEngine < share(max) && upkeepWaiting == 0;
      case APPLICATION -> free && ofApplication < share(max);
    };
  }

  public void release(User user) {
    lock.lock();
    try {
      count(user, -1);
      freed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void count(User user, int more) {
    if (user == User.APPLICATION) {
      ofApplication += more;
    } else {
      ofEngine += more;
    }
  }
}

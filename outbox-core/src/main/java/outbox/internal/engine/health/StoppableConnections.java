package outbox.internal.engine.health;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import outbox.spi.ConnectionProvider;

/**
 * The connections of a provider until {@link #stop}. Then threads that wait for a connection are
 * interrupted, because a pool may let them wait for half a minute, and no further connection is
 * given. A thread that has its connection is never interrupted: an interrupt during I/O may close a
 * file of an embedded database. Thread-safe.
 */
public final class StoppableConnections implements ConnectionProvider {
  private final ConnectionProvider provider;
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Thread> waiting = new HashSet<>();
  private boolean stopped;

  public StoppableConnections(ConnectionProvider provider) {
    this.provider = requireNonNull(provider, "provider");
  }

  @Override
  public Connection getConnection() throws SQLException {
    enter();
    try {
      return provider.getConnection();
    } finally {
      leave();
    }
  }

  private void enter() throws SQLException {
    lock.lock();
    try {
      if (stopped) {
        throw new SQLTransientConnectionException("closed: no further connection is taken");
      }
      waiting.add(Thread.currentThread());
    } finally {
      lock.unlock();
    }
  }

  /** Races with {@link #stop}, whose interrupt must not reach what the thread does next. */
  private void leave() {
    lock.lock();
    try {
      if (!waiting.remove(Thread.currentThread())) {
        boolean unused = Thread.interrupted();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Gives no further connection; ends the waits for one. Stopping twice is harmless. */
  public void stop() {
    lock.lock();
    try {
      stopped = true;
      waiting.forEach(Thread::interrupt);
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }
}

package outbox.chaos.scenario;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A loop of version 1 at a steady pace, which remembers how long its slowest statement took. */
abstract class OldNode implements AutoCloseable {
  private final Thread thread;
  private final long nanosPerTurn;
  private final AtomicLong slowest = new AtomicLong();
  private volatile boolean stopped;
  private volatile @Nullable Throwable failure;

  OldNode(String name, long nanosPerTurn) {
    this.nanosPerTurn = nanosPerTurn;
    this.thread = new Thread(this::run, name);
  }

  final void start() {
    thread.start();
  }

  abstract void turn() throws SQLException;

  final void timed(Work work) throws SQLException {
    long began = System.nanoTime();
    work.run();
    slowest.accumulateAndGet(System.nanoTime() - began, Math::max);
  }

  /** The slowest since the last time this was asked. */
  final Duration slowest() {
    return Duration.ofNanos(slowest.getAndSet(0));
  }

  private void run() {
    try {
      for (long next = System.nanoTime(); !stopped; next += nanosPerTurn) {
        turn();
        LockSupport.parkNanos(next + nanosPerTurn - System.nanoTime());
      }
    } catch (SQLException | RuntimeException e) {
      failure = e;
    }
  }

  /** Ends it; fails if it has failed. */
  final void stop() throws InterruptedException {
    close();
    thread.join();
    if (failure != null) {
      throw new AssertionError(thread.getName() + " failed", failure);
    }
  }

  @Override
  public final void close() {
    stopped = true;
  }

  @FunctionalInterface
  interface Work {
    void run() throws SQLException;
  }
}

package outbox.internal.engine.lanes;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import outbox.internal.engine.common.LoggerNames;

/** The threads that run workers. One whose thread never comes back can be replaced. Thread-safe. */
public final class WorkerPool {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  private final ThreadFactory threads;
  private final Runnable worker;
  private final Set<Thread> alive = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();

  public WorkerPool(ThreadFactory threads, Runnable worker) {
    this.threads = threads;
    this.worker = worker;
  }

  public void start(int count) {
    for (int i = 0; i < count; i++) {
      startOne();
    }
  }

  public void startOne() {
    Thread thread = threads.newThread(this::runAndLeave);
    alive.add(thread);
    boolean started = false;
    try {
      thread.start();
      started = true;
    } finally {
      if (!started) {
        alive.remove(thread);
      }
    }
  }

  private void runAndLeave() {
    try {
      worker.run();
    } catch (Throwable e) {
      startOne();
      LOG.log(Level.ERROR, "worker failed, another was started", e);
    } finally {
      lock.lock();
      try {
        alive.remove(Thread.currentThread());
        ended.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits until all workers have ended; returns false if the time is over first. */
  public boolean awaitEnd(long nanos) throws InterruptedException {
    long rest = nanos;
    lock.lockInterruptibly();
    try {
      while (!alive.isEmpty()) {
        if (rest <= 0) {
          return false;
        }
        rest = ended.awaitNanos(rest);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the calling thread is one of these workers. */
  public boolean isWorker() {
    return alive.contains(Thread.currentThread());
  }
}

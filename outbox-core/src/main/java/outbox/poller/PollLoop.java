package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.Claimer;
import outbox.spi.StoreException;
import outbox.util.Deadline;

/** Cycle, wait, cycle: soon again after a find, ever later while there is nothing. */
final class PollLoop implements Runnable {
  private static final Logger LOG = System.getLogger(OutboxPoller.class.getName());
  private static final Duration PAUSE_AFTER_FAILED_WAIT = Duration.ofMillis(500);

  private final Claimer claimer;
  private final IdlePause idle;
  private final ReentrantLock cycling = new ReentrantLock();
  private @Nullable Thread thread;
  private volatile boolean closed;
  private volatile boolean expecting;

  PollLoop(Claimer claimer, Duration interval) {
    this.claimer = claimer;
    this.idle = new IdlePause(interval);
  }

  synchronized void start() {
    if (closed) {
      throw new IllegalStateException("the poller is closed; make a new one");
    }
    if (thread == null) {
      thread = new Thread(this, "outbox-poller");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Serialised, because the claimer serves one caller at a time. */
  int cycle() {
    cycling.lock();
    try {
      return closed ? 0 : claimer.cycle();
    } finally {
      cycling.unlock();
    }
  }

  /** The idle back-off begins anew, so that a commit in the next moments is found soon. */
  void expect() {
    expecting = true;
    claimer.wake();
  }

  @Override
  public void run() {
    try {
      while (!closed) {
        cycleAndWait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whatever is thrown, the loop continues after a pause. */
  private void cycleAndWait() throws InterruptedException {
    try {
      boolean fromTheStart = expecting;
      expecting = false;
      claimer.awaitDemand(cycle() > 0 || fromTheStart ? idle.shortest() : idle.longer());
    } catch (RuntimeException | Error e) {
      if (!closed) {
        awaitRetry(e);
      }
    }
  }

  /** A log handler may throw as well. */
  private void awaitRetry(Throwable failure) throws InterruptedException {
    try {
      if (!(failure instanceof StoreException)) {
        LOG.log(Level.ERROR, "poller cycle failed; polling continues", failure);
      }
      claimer.awaitRetry(failure);
    } catch (RuntimeException | Error e) {
      LockSupport.parkNanos(PAUSE_AFTER_FAILED_WAIT.toNanos());
    }
  }

  synchronized void stop() {
    closed = true;
    claimer.stop();
  }

  void close(Deadline deadline) {
    stop();
    Thread running;
    synchronized (this) {
      running = thread;
    }
    if (running != null && running != Thread.currentThread()) {
      deadline.join(running);
    }
  }
}

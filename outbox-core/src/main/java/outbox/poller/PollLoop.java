package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.Claimer;
import outbox.spi.StoreException;
import outbox.util.Deadline;

/** Cycle, wait, cycle: soon again after a find, ever later while there is nothing. */
final class PollLoop implements Runnable {
  private static final Logger LOG = System.getLogger(OutboxPoller.class.getName());
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(500);

  private final Claimer claimer;
  private final Duration longestPause;
  private final Duration shortestPause;
  private final ReentrantLock cycling = new ReentrantLock();
  private @Nullable Thread thread;
  private volatile boolean closed;
  private volatile boolean expecting;

  PollLoop(Claimer claimer, Duration interval) {
    this.claimer = claimer;
    this.longestPause = interval;
    this.shortestPause = interval.compareTo(SHORTEST_PAUSE) < 0 ? interval : SHORTEST_PAUSE;
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
    Duration pause = shortestPause;
    try {
      while (!closed) {
        pause = cycleAndWait(pause);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns how long it waited at most. Whatever is thrown, the loop continues after a pause. */
  private Duration cycleAndWait(Duration pause) throws InterruptedException {
    try {
      boolean fromTheStart = expecting;
      expecting = false;
      Duration next = cycle() > 0 || fromTheStart ? shortestPause : next(pause);
      claimer.awaitDemand(next);
      return next;
    } catch (RuntimeException | Error e) {
      if (closed) {
        return pause;
      }
      if (!(e instanceof StoreException)) {
        LOG.log(Level.ERROR, "poller cycle failed; polling continues", e);
      }
      return claimer.awaitRetry(e);
    }
  }

  private Duration next(Duration pause) {
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(longestPause) < 0 ? doubled : longestPause;
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

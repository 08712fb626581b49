package outbox.internal.retention;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.Retention;
import outbox.internal.util.Deadline;
import outbox.spi.Chore;
import outbox.spi.ConnectionsBusyException;

/**
 * One thread for the chores of all databases. Each chore is done for a turn at the most, batch by
 * batch with a pause after each; one that is not finished by then comes again after the others, and
 * one that is comes again after the interval. Thread-safe; starts with its first chore.
 */
public final class Housekeeper implements AutoCloseable {
  private static final Logger LOG = System.getLogger("outbox.retention.Housekeeper");
  private static final double JITTER = 0.25;

  private final Duration interval;
  private final Duration pause;
  private final Duration turn;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<Entry> entries = new LinkedHashSet<>();
  private boolean closed;
  private @Nullable Thread thread;

  /** By the interval, the pause and the turn of these settings. */
  public Housekeeper(Retention pace) {
    this.interval = pace.interval();
    this.pause = pace.pause();
    this.turn = pace.turn();
  }

  /** Does the chore from now on, for the first time within the interval. */
  public void add(Chore chore) {
    requireNonNull(chore, "chore");
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the housekeeper is closed; make a new one");
      }
      long first = (long) (interval.toNanos() * ThreadLocalRandom.current().nextDouble());
      entries.add(new Entry(chore, System.nanoTime() + first));
      if (thread == null) {
        thread = new Thread(this::work, "outbox-housekeeper");
        thread.setDaemon(true);
        thread.start();
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Does it no more after the batch under way. */
  public void remove(Chore chore) {
    lock.lock();
    try {
      entries.removeIf(entry -> entry.chore == chore);
    } finally {
      lock.unlock();
    }
  }

  private void work() {
    try {
      for (Entry entry = next(); entry != null; entry = next()) {
        boolean finished = doTurn(entry);
        entry.due = System.nanoTime() + (finished ? jittered(interval) : 0);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the chore that is due first; null once closed. */
  private @Nullable Entry next() throws InterruptedException {
    lock.lock();
    try {
      while (!closed) {
        long now = System.nanoTime();
        Entry first =
            entries.stream().min(Comparator.comparingLong(entry -> entry.due - now)).orElse(null);
        if (first != null && first.due - now <= 0) {
          return first;
        }
        long unused = changed.awaitNanos(first == null ? Long.MAX_VALUE : first.due - now);
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Returns false if more is left to be done. */
  private boolean doTurn(Entry entry) throws InterruptedException {
    long end = System.nanoTime() + turn.toNanos();
    while (System.nanoTime() - end < 0 && isKept(entry)) {
      long begun = System.nanoTime();
      if (!doBatch(entry)) {
        return true;
      }
      rest(Math.max(pause.toNanos(), System.nanoTime() - begun));
    }
    return false;
  }

  private boolean doBatch(Entry entry) {
    try {
      boolean more = entry.chore.batch();
      entry.failing = false;
      return more;
    } catch (RuntimeException | Error e) {
      report(entry, e);
      return false;
    }
  }

  /** Once for each outage; that a connection is not to be had just now is none. */
  private void report(Entry entry, Throwable e) {
    boolean busy = e.getCause() instanceof ConnectionsBusyException;
    boolean quiet = busy || entry.failing || !isKept(entry);
    LOG.log(
        quiet ? Level.DEBUG : Level.WARNING,
        "chore failed, again after " + interval + " chore=" + entry.chore.name(),
        e);
    entry.failing |= !busy;
  }

  private boolean isKept(Entry entry) {
    lock.lock();
    try {
      return !closed && entries.contains(entry);
    } finally {
      lock.unlock();
    }
  }

  private void rest(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    lock.lock();
    try {
      for (long rest = nanos; !closed && rest > 0; rest = end - System.nanoTime()) {
        long unused = changed.awaitNanos(rest);
      }
    } finally {
      lock.unlock();
    }
  }

  private static long jittered(Duration duration) {
    double factor = 1 - JITTER + 2 * JITTER * ThreadLocalRandom.current().nextDouble();
    return (long) (duration.toNanos() * factor);
  }

  /** Begins no further batch. Does not block. */
  public void stop() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Stops after the batch under way and waits for it, for 5 seconds at the most. Closing twice is
   * harmless.
   */
  @Override
  public void close() {
    close(Deadline.in(new OutboxConfig().getCloseTimeout()));
  }

  /** As {@link #close()}, and waits until the deadline at the most. */
  public void close(Deadline deadline) {
    stop();
    Thread running;
    lock.lock();
    try {
      running = thread;
    } finally {
      lock.unlock();
    }
    if (running != null && running != Thread.currentThread()) {
      deadline.join(running);
    }
  }

  /** A chore, and when it is to be done next. */
  private static final class Entry {
    private final Chore chore;
    private volatile long due;
    private volatile boolean failing;

    private Entry(Chore chore, long due) {
      this.chore = chore;
      this.due = due;
    }
  }
}

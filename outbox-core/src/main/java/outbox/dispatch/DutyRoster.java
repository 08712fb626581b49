package outbox.dispatch;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Hands the duties of all stations to the threads that perform them, each when it is asked for or
 * its time has come, and none twice at once. Thread-safe.
 */
final class DutyRoster {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition available = lock.newCondition();
  private final Condition finished = lock.newCondition();
  private final Alarms alarms = new Alarms();
  private final DutyQueues due;
  private @Nullable Thread leader;
  private boolean closed;

  DutyRoster(DutyQueues due) {
    this.due = due;
  }

  /** Asks for the duty at once. */
  void request(Duty duty) {
    requestAt(duty, System.nanoTime());
  }

  /** Asks for the duty at a time, unless it is asked for earlier already. */
  void requestAt(Duty duty, long at) {
    lock.lock();
    try {
      if (duty.running) {
        duty.againAt = duty.again && duty.againAt - at <= 0 ? duty.againAt : at;
        duty.again = true;
      } else {
        schedule(duty, at);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The database was looked into: the next look is due after the pause, and not before. */
  void postpone(Duty look, Duration pause) {
    lock.lock();
    try {
      long at = System.nanoTime() + pause.toNanos();
      if (look.running) {
        look.again = true;
        look.againAt = at;
      } else {
        Alarms.cancel(look);
        due.looked(look);
        schedule(look, at);
      }
    } finally {
      lock.unlock();
    }
  }

  private void schedule(Duty duty, long at) {
    if (duty.removed || duty.queued) {
      return;
    }
    if (at - System.nanoTime() <= 0) {
      enqueue(duty);
      available.signal();
    } else if (alarms.set(duty, at)) {
      leader = null;
      available.signal();
    }
  }

  private void enqueue(Duty duty) {
    Alarms.cancel(duty);
    due.add(duty);
  }

  /** The next duty to perform, waited for; null once closed. */
  @Nullable Duty take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed) {
        for (Duty rung = poll(); rung != null; rung = poll()) {
          enqueue(rung);
        }
        Duty next = due.begin();
        if (next != null) {
          return next;
        }
        awaitWork();
      }
      return null;
    } finally {
      passTheWatchOn();
      lock.unlock();
    }
  }

  /** A thread that leaves wakes another one for what else is due, or to wait for the alarm. */
  private void passTheWatchOn() {
    boolean watched = leader != null || nanosToNext() == Long.MAX_VALUE;
    if (!watched || !due.isEmpty()) {
      available.signal();
    }
  }

  private @Nullable Duty poll() {
    return alarms.poll(System.nanoTime());
  }

  private long nanosToNext() {
    long now = System.nanoTime();
    return Math.min(alarms.nanosToNext(now), due.nanosToNextLook(now));
  }

  /** One thread waits for the next alarm, the others until they are woken. */
  @SuppressWarnings("WaitNotInLoop") // the caller's
  private void awaitWork() throws InterruptedException {
    long nanos = nanosToNext();
    if (leader != null || nanos == Long.MAX_VALUE) {
      available.await();
      return;
    }
    Thread self = Thread.currentThread();
    leader = self;
    try {
      available.awaitNanos(nanos);
    } finally {
      leader = leader == self ? null : leader;
    }
  }

  /** Ends a duty that was taken; it is due again after the pause, or when it is asked for. */
  void done(Duty duty, @Nullable Duration pause) {
    lock.lock();
    try {
      due.end(duty);
      long now = System.nanoTime();
      boolean again = duty.again;
      duty.again = false;
      if (again) {
        schedule(duty, duty.againAt);
      }
      if (pause != null) {
        schedule(duty, now + pause.toNanos());
      }
      finished.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Tells the strategy what a claim came to. */
  void claimed(Duty claim, boolean more) {
    lock.lock();
    try {
      due.claims().claimed(claim, more);
    } finally {
      lock.unlock();
    }
  }

  void register(Berth berth) {
    lock.lock();
    try {
      due.claims().register(berth.claim(), berth.store());
    } finally {
      lock.unlock();
    }
  }

  /** Says that the station's database may answer again. */
  void recovered(Station station) {
    lock.lock();
    try {
      due.recovered(station);
      leader = null;
      available.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Says that something has changed that duties wait for, such as room in the cold lane. */
  void look() {
    lock.lock();
    try {
      available.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Takes duties off; waits for those that run. */
  void remove(Collection<Duty> duties) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      for (Duty duty : duties) {
        duty.removed = true;
        alarms.remove(duty);
        due.remove(duty);
      }
      while (duties.stream().anyMatch(duty -> duty.running)) {
        finished.await();
      }
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      available.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

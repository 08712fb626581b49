package outbox.internal.engine.schedule;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import outbox.internal.util.Deadline;
import outbox.routing.OutboxStore;

/**
 * Hands the tasks of all stores to the threads that perform them, each when it is asked for or its
 * time has come, and none twice at once. Thread-safe.
 */
public final class TaskScheduler {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition available = lock.newCondition();
  private final Condition finished = lock.newCondition();
  private final TaskTimers alarms = new TaskTimers();
  private final TaskQueues due;
  private @Nullable Thread leader;
  private boolean closed;

  public TaskScheduler(TaskQueues due) {
    this.due = due;
  }

  /** Asks for the task at once. */
  public void request(StoreTask task) {
    requestAt(task, System.nanoTime());
  }

  /** Asks for the task at a time, unless it is asked for earlier already. */
  public void requestAt(StoreTask task, long at) {
    lock.lock();
    try {
      if (task.running) {
        task.againAt = task.again && task.againAt - at <= 0 ? task.againAt : at;
        task.again = true;
      } else {
        schedule(task, at);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The database was looked into: the next look is due after the pause, and not before. */
  public void postpone(StoreTask look, Duration pause) {
    lock.lock();
    try {
      long at = System.nanoTime() + pause.toNanos();
      if (look.running) {
        look.again = true;
        look.againAt = at;
      } else {
        TaskTimers.cancel(look);
        due.looked(look);
        schedule(look, at);
      }
    } finally {
      lock.unlock();
    }
  }

  private void schedule(StoreTask task, long at) {
    if (task.removed || task.queued) {
      return;
    }
    if (at - System.nanoTime() <= 0) {
      enqueue(task);
      available.signal();
    } else if (alarms.set(task, at)) {
      leader = null;
      available.signal();
    }
  }

  private void enqueue(StoreTask task) {
    TaskTimers.cancel(task);
    due.add(task);
  }

  /** The next task to perform, waited for; null once closed. */
  public @Nullable StoreTask take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed) {
        for (StoreTask rung = poll(); rung != null; rung = poll()) {
          enqueue(rung);
        }
        StoreTask next = due.begin();
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

  private @Nullable StoreTask poll() {
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

  /** Ends a task that was taken; it is due again after the pause, or when it is asked for. */
  public void done(StoreTask task, @Nullable Duration pause) {
    lock.lock();
    try {
      due.end(task);
      long now = System.nanoTime();
      boolean again = task.again;
      task.again = false;
      if (again) {
        schedule(task, task.againAt);
      }
      if (pause != null) {
        schedule(task, now + pause.toNanos());
      }
      finished.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Tells the strategy what a claim came to. */
  public void claimed(StoreTask claim, boolean more) {
    lock.lock();
    try {
      due.claims().claimed(claim, more);
    } finally {
      lock.unlock();
    }
  }

  /** Lets the strategy choose this claim, of so many events at the most, when it is due. */
  public void register(StoreTask claim, OutboxStore store, int batchSize) {
    lock.lock();
    try {
      due.register(claim, store, batchSize);
    } finally {
      lock.unlock();
    }
  }

  /** Says that the store's database may answer again. */
  public void recovered(StoreTask.Owner store) {
    lock.lock();
    try {
      due.recovered(store);
      leader = null;
      available.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Says that something has changed that tasks wait for, such as room in the cold lane. */
  public void look() {
    lock.lock();
    try {
      available.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Takes tasks off for good; those that run come to their end. */
  public void remove(Collection<StoreTask> tasks) {
    lock.lock();
    try {
      for (StoreTask task : tasks) {
        task.removed = true;
        alarms.remove(task);
        due.remove(task);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the end of those that run. */
  public void awaitEnd(Collection<StoreTask> tasks, Deadline deadline) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (tasks.stream().anyMatch(StoreTask::isRunningElsewhere) && !deadline.isOver()) {
        long unused = finished.awaitNanos(deadline.rest().toNanos());
      }
    } finally {
      lock.unlock();
    }
  }

  public boolean isRunning(StoreTask task) {
    lock.lock();
    try {
      return task.running;
    } finally {
      lock.unlock();
    }
  }

  public void close() {
    lock.lock();
    try {
      closed = true;
      available.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

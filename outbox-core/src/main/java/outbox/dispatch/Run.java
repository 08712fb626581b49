package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The run of a delivery's listeners on a thread. It can be cancelled and its thread given up, but
 * neither reaches what the thread does after it. Thread-safe.
 */
final class Run {
  private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

  /** Guards the thread and the actions, so that nothing meant for this run outlives it. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Object whose;
  private @Nullable Thread thread;
  private @Nullable List<Runnable> onCancel;
  private boolean replaced;
  private volatile boolean cancelled;
  private volatile boolean started;
  private volatile long startedNanos;

  /** Since when it waits for the database to begin, store or commit; 0 if it does not. */
  private volatile long askingSince;

  /** Of what it says in the log that it is. */
  Run(Object whose) {
    this.whose = whose;
  }

  void begin() {
    lock.lock();
    try {
      thread = Thread.currentThread();
      startedNanos = System.nanoTime();
      started = true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the run and clears an interrupt meant for it.
   *
   * @return whether the thread was replaced meanwhile and must end
   */
  boolean end() {
    lock.lock();
    try {
      thread = null;
      onCancel = null;
      boolean unused = Thread.interrupted();
      return replaced;
    } finally {
      lock.unlock();
    }
  }

  boolean isStarted() {
    return started;
  }

  long nanos(long nowNanos) {
    return nowNanos - startedNanos;
  }

  /** The engine's own work on the database begins, or goes on with the next statement. */
  void asksDatabase() {
    askingSince = System.nanoTime() | 1;
  }

  void databaseAnswered() {
    askingSince = 0;
  }

  /** How long it has waited for an answer to the engine's own work; 0 if it does not wait. */
  long askingNanos(long nowNanos) {
    long since = askingSince;
    return since == 0 ? 0 : nowNanos - since;
  }

  boolean isCancelled() {
    return cancelled;
  }

  /**
   * Interrupts the thread and starts the actions that wait for this.
   *
   * @return false if nothing runs
   */
  boolean cancel() {
    List<Runnable> actions;
    lock.lock();
    try {
      cancelled = true;
      if (thread == null) {
        return false;
      }
      thread.interrupt();
      actions = onCancel;
      onCancel = null;
    } finally {
      lock.unlock();
    }
    if (actions != null) {
      // Not here: an action that blocks must not keep the lease keeper from its renewals.
      EngineThreads.start("outbox-cancel", () -> actions.forEach(this::perform));
    }
    return true;
  }

  /** Performs the action on cancellation, here if that has happened; never after the end. */
  void onCancel(Runnable action) {
    lock.lock();
    try {
      if (thread == null) {
        return;
      }
      if (!cancelled) {
        onCancel = onCancel == null ? new ArrayList<>() : onCancel;
        onCancel.add(action);
        return;
      }
    } finally {
      lock.unlock();
    }
    perform(action);
  }

  private void perform(Runnable action) {
    try {
      action.run();
    } catch (Throwable e) {
      LOG.log(Level.ERROR, "action on cancellation failed " + whose, FailureTrace.of(e));
    }
  }

  /** Gives up on the thread; returns true once, and only while it still runs. */
  boolean replaceThread() {
    lock.lock();
    try {
      if (thread == null || replaced) {
        return false;
      }
      replaced = true;
      return true;
    } finally {
      lock.unlock();
    }
  }
}

package outbox.internal.engine.delivery;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.common.EngineThreads;
import outbox.internal.engine.common.FailureTrace;
import outbox.internal.engine.common.LoggerNames;

/**
 * The run of a delivery's listeners on a thread. It can be cancelled and its thread given up, but
 * neither reaches what the thread does after it. Thread-safe.
 */
public final class Run {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  /** Guards the thread and the actions, so that nothing meant for this run outlives it. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Object whose;
  private @Nullable Thread thread;

  /** The run of the batch that this one is part of, which has the thread and the actions. */
  private volatile @Nullable Run whole;

  /** Of a batch: how many of its runs are not lost. */
  private int parts;

  private @Nullable List<Runnable> onCancel;
  private boolean replaced;
  private volatile Set<Reason> cancelledFor = Set.of();
  private volatile long startedNanos;

  /** Since when it waits for the database to begin, store or commit; 0 if it does not. */
  private volatile long askingSince;

  /** Why a run is to end before its listeners have ended. Several may come together. */
  enum Reason {
    /** The process ends. */
    CLOSING,
    /** It has taken longer than it may, or its transaction waits too long for the database. */
    OVERDUE,
    /** Another worker has the event. */
    LOST
  }

  /**
   * Not begun.
   *
   * @param whose what log messages call this run
   */
  Run(Object whose) {
    this.whose = whose;
  }

  /** Begins on the calling thread. */
  public void begin() {
    lock.lock();
    try {
      thread = Thread.currentThread();
      startedNanos = System.nanoTime();
    } finally {
      lock.unlock();
    }
  }

  /** Begins as part of a batch's run. */
  void beginWithin(Run batch) {
    lock.lock();
    try {
      whole = batch;
      if (!isCancelled(Reason.LOST)) {
        batch.joined();
      }
    } finally {
      lock.unlock();
    }
  }

  private void joined() {
    lock.lock();
    try {
      parts++;
    } finally {
      lock.unlock();
    }
  }

  /** The next listener of a batch begins: its time is its own. */
  public void nextListener() {
    lock.lock();
    try {
      startedNanos = System.nanoTime();
      onCancel = null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the run and clears an interrupt meant for it.
   *
   * @return whether the thread was replaced meanwhile and must end
   */
  public boolean end() {
    lock.lock();
    try {
      thread = null;
      whole = null;
      onCancel = null;
      boolean unused = Thread.interrupted();
      return replaced;
    } finally {
      lock.unlock();
    }
  }

  public long nanos(long nowNanos) {
    Run batch = whole;
    return nowNanos - (batch == null ? startedNanos : batch.startedNanos);
  }

  /** The engine's own work on the database begins, or continues with the next statement. */
  public void asksDatabase() {
    askingSince = System.nanoTime() | 1;
  }

  public void databaseAnswered() {
    askingSince = 0;
  }

  /** How long it has waited for an answer to the engine's own work; 0 if it does not wait. */
  public long askingNanos(long nowNanos) {
    Run batch = whole;
    long since = askingSince == 0 && batch != null ? batch.askingSince : askingSince;
    return since == 0 ? 0 : nowNanos - since;
  }

  public boolean isCancelled() {
    return !cancelledFor.isEmpty();
  }

  public boolean isCancelled(Reason reason) {
    return cancelledFor.contains(reason);
  }

  /**
   * Interrupts the thread and starts the actions that wait for this.
   *
   * @return false if nothing runs
   */
  boolean cancel(Reason reason) {
    List<Runnable> actions;
    lock.lock();
    try {
      boolean first = !isCancelled(reason);
      Set<Reason> reasons = EnumSet.of(reason);
      reasons.addAll(cancelledFor);
      cancelledFor = reasons;
      if (whole != null) {
        return first && whole.cancelPart(reason);
      }
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
      // Not here: an action that blocks must not keep the lease renewer from its renewals.
      EngineThreads.start("outbox-cancel", () -> actions.forEach(this::perform));
    }
    return true;
  }

  /**
   * One event of the batch is cancelled, and with it the whole batch, once; but one that is lost
   * leaves the others running as long as there are others.
   */
  private boolean cancelPart(Reason reason) {
    lock.lock();
    try {
      boolean last = reason != Reason.LOST || --parts == 0;
      return last && !isCancelled(reason) && cancel(reason);
    } finally {
      lock.unlock();
    }
  }

  /** Performs the action on cancellation, here if that has happened; never after the end. */
  public void onCancel(Runnable action) {
    lock.lock();
    try {
      if (whole != null) {
        whole.onCancel(action);
        return;
      }
      if (thread == null) {
        return;
      }
      if (!isCancelled()) {
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
  public boolean replaceThread() {
    lock.lock();
    try {
      if (whole != null) {
        return whole.replaceThread();
      }
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

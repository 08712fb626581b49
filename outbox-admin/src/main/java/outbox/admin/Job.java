package outbox.admin;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import outbox.metrics.Count;

/** A long piece of work: how far it is, and a way to stop it. Thread-safe. */
final class Job {

  /** Changes things until it is done or the predicate, told how many so far, says no. */
  @FunctionalInterface
  interface Work {
    long run(LongPredicate goOn);
  }

  /** Where it stands. */
  enum State {
    RUNNING,
    DONE,
    STOPPED,
    FAILED
  }

  private final String id;
  private final String what;
  private final Caller by;
  private final Count total;
  private final AtomicLong done = new AtomicLong();
  private volatile State state = State.RUNNING;
  private volatile boolean stopping;
  private volatile @Nullable String error;
  private volatile @Nullable Thread worker;

  Job(String id, String what, Caller by, Count total) {
    this.id = id;
    this.what = what;
    this.by = by;
    this.total = total;
  }

  String id() {
    return id;
  }

  State state() {
    return state;
  }

  /** Runs it; whatever happens is told by the state. */
  void run(Work work) {
    worker = Thread.currentThread();
    try {
      done.set(work.run(this::goOn));
      state = stopping ? State.STOPPED : State.DONE;
    } catch (RuntimeException e) {
      state = stopping ? State.STOPPED : State.FAILED;
      error = stopping ? null : "It failed after " + done + "; the server's log says why.";
      throw e;
    } finally {
      worker = null;
    }
  }

  private boolean goOn(long changed) {
    done.set(changed);
    return !stopping;
  }

  /** Ends it after the batch at hand. */
  void stop() {
    stopping = true;
    // The worker may end between the look and the interrupt: its pool clears the flag.
    Thread running = worker;
    if (running != null) {
      running.interrupt();
    }
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("job", id)
        .put("what", what)
        .put("by", by.name())
        .put("state", state)
        .put("done", done.get())
        .put("total", total.value())
        .put("totalAtLeast", total.atLeast())
        .put("error", error);
  }
}

package outbox.admin;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import outbox.admin.json.JsonObject;
import outbox.admin.metrics.Count;

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
    State end = State.FAILED;
    try {
      done.set(work.run(this::goOn));
      end = stopping ? State.STOPPED : State.DONE;
    } finally {
      if (end == State.FAILED) {
        error = "It failed after " + done + "; the server's log says why.";
      }
      state = end;
    }
  }

  private boolean goOn(long changed) {
    done.set(changed);
    return !stopping;
  }

  /** Ends it after the batch at hand; without an interrupt, which closes a file of H2. */
  void stop() {
    stopping = true;
  }

  boolean isStopping() {
    return stopping;
  }

  /** How many were changed so far. */
  long done() {
    return done.get();
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

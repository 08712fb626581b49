package outbox.internal.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import outbox.OutboxConfig;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.common.Waiter;
import outbox.internal.engine.common.Waits;
import outbox.internal.util.Deadline;

/**
 * Takes stores out: no new events, and no claim under way; what is queued is worked off until the
 * drain timeout; the rest is given back, and listeners that still run are interrupted; the last
 * outcomes are stored. A row whose listener does not end is never given back: its lease expires by
 * itself.
 *
 * <p>All steps share {@code closeTimeout}, and before that up to {@code drainTimeout} for what is
 * queued, as long as the database answers. Used by one thread.
 */
public final class Shutdown {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  /** A drain that is over by then needs no database that answers. */
  private static final Duration BRIEF = Duration.ofMillis(200);

  private static final Duration SLICE = Duration.ofMillis(50);
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final WorkerRuntime workers;
  private final List<StoreRuntime> runtimes;
  private final boolean ofAll;
  private final Waiter idle = new Waiter();
  private final Duration closeTimeout;
  private final Deadline drain;
  private final Deadline drainWithoutDatabase;
  private Deadline end;
  private boolean interrupted;

  private Shutdown(WorkerRuntime workers, Collection<StoreRuntime> runtimes, boolean ofAll) {
    OutboxConfig config = workers.config();
    this.workers = workers;
    this.runtimes = List.copyOf(runtimes);
    this.ofAll = ofAll;
    this.closeTimeout = config.getCloseTimeout();
    this.drain = Deadline.in(config.getDrainTimeout());
    this.drainWithoutDatabase = Deadline.in(closeTimeout.dividedBy(2));
    this.end = Deadline.in(closeTimeout);
  }

  /** Of the last stores: the workers end as well. */
  public static Shutdown of(Collection<StoreRuntime> last, WorkerRuntime workers) {
    return new Shutdown(workers, last, true);
  }

  /** Of one store among others, which go on. */
  public static Shutdown of(StoreRuntime runtime, WorkerRuntime workers) {
    return new Shutdown(workers, List.of(runtime), false);
  }

  public void run() {
    runtimes.forEach(StoreRuntime::stopClaiming);
    runtimes.forEach(runtime -> runtime.inFlight().onLeave(idle::wake));
    Deadline claims = grace();
    for (StoreRuntime runtime : runtimes) {
      completed(() -> runtime.claims().awaitClaim(claims.rest()));
    }
    Probe probe = new Probe(runtimes);
    try {
      completed(() -> workOff(probe));
    } finally {
      probe.stop();
    }
    for (StoreRuntime runtime : runtimes) {
      workers.unload(delivery -> delivery.origin() == runtime).forEach(runtime::release);
    }
    Deadline confirmations = grace();
    runtimes.forEach(runtime -> completed(() -> runtime.giveBack(confirmations)));
    completed(() -> isDrained(grace().rest()));
    runtimes.forEach(StoreRuntime::flushRest);
    completed(() -> awaitAll(StoreRuntime::isFlushed, end));
    runtimes.forEach(Shutdown::report);
  }

  /** Lets the workers work off what is queued. */
  private void workOff(BooleanSupplier answers) throws InterruptedException {
    if (ofAll) {
      workers.closeLanes();
    }
    if (workers.isWorker() || isDrained(drain.rest(BRIEF))) {
      return;
    }
    boolean answering = true;
    while (!drain.isOver() && (answering || !drainWithoutDatabase.isOver())) {
      if (isDrained(drain.rest(SLICE))) {
        break;
      }
      answering = answers.getAsBoolean();
    }
    if (answering && drainWithoutDatabase.isOver()) {
      end = end.orLater(Deadline.in(closeTimeout));
    }
  }

  private boolean isDrained(Duration patience) throws InterruptedException {
    if (ofAll) {
      return workers.awaitEnd(patience.toNanos());
    }
    return awaitAll(StoreRuntime::isIdle, Deadline.in(patience));
  }

  private boolean awaitAll(Predicate<StoreRuntime> state, Deadline deadline)
      throws InterruptedException {
    while (!runtimes.stream().allMatch(state)) {
      if (deadline.isOver()) {
        return false;
      }
      idle.await(deadline.rest(SLICE));
    }
    return true;
  }

  /** Says how a store was left. */
  private static void report(StoreRuntime runtime) {
    if (runtime.isIdle()) {
      LOG.log(Level.DEBUG, "store left{0}", runtime.label());
    } else {
      LOG.log(
          Level.WARNING,
          "closed with outcomes not stored count={0}{1}; their events are delivered again after"
              + " leaseDuration",
          runtime.inFlight().size(),
          runtime.label());
    }
  }

  /** What is left for all that comes after the drain. */
  Deadline end() {
    return end;
  }

  /** What something that was told to stop gets to come to its end: a part of what is left. */
  private Deadline grace() {
    return Deadline.in(end.rest(GRACE));
  }

  /** An interrupt ends the wait of one step, and is not forgotten. */
  void completed(Waits.Wait step) {
    interrupted |= !Waits.completed(step);
  }

  void restoreInterrupt() {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

package outbox.internal.engine.schedule;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.internal.engine.delivery.Origin;
import outbox.internal.engine.lanes.Lanes;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.OutboxStore;
import outbox.routing.RoundRobinOutboxSelectionStrategy;

/**
 * Tasks that are due, and which of them gets the next free connection: upkeep before claims, so
 * that leases and outcomes never wait for new work; of claims, the one that the strategy chooses;
 * then looks that were not requested, in turn with claims once they are late. Only a few ever probe
 * databases that fail, one per database, so that these starve no other; one that has only just
 * failed goes first. Guarded by the scheduler's lock.
 */
public final class TaskQueues {
  private static final int PERMITS_PER_PROBE = 8;
  private static final int PERMITS_PER_UPKEEP = 4;
  private static final int CLAIMS_PER_LOOK = 3;

  /** So that one database that does not answer does not delay looks into the others. */
  private static final int LEAST_LOOKS = 2;

  private final Deque<StoreTask> upkeep = new ArrayDeque<>();
  private final Deque<StoreTask> freshProbes = new ArrayDeque<>();
  private final Deque<StoreTask> probes = new ArrayDeque<>();
  private final Set<Origin> probed = new HashSet<>();
  private final ClaimQueue claims;
  private final IdleChecks looks;

  /** Claims of stores that have their share of the cold lane. */
  private final Set<StoreTask> sated = new LinkedHashSet<>();

  private final ColdRoom room;
  private final int maxProbes;
  private final int maxClaims;
  private int maintaining;
  private int claiming;
  private boolean turnOfLooks = true;

  /**
   * All empty.
   *
   * @param permits how many tasks run at once; a part is kept for upkeep
   * @param lookPeriod how long a database may go without a look
   */
  TaskQueues(int permits, ClaimQueue claims, ColdRoom room, Duration lookPeriod) {
    this.claims = claims;
    this.room = room;
    this.maxProbes = Math.max(1, permits / PERMITS_PER_PROBE);
    this.maxClaims = Math.max(1, permits - Math.max(1, permits / PERMITS_PER_UPKEEP));
    this.looks = new IdleChecks(Math.max(LEAST_LOOKS, maxClaims / CLAIMS_PER_LOOK), lookPeriod);
  }

  /** For the one store of an engine, whose tasks need share nothing. */
  public static TaskQueues ofOne(Lanes lanes, int batchSize) {
    return new TaskQueues(
        StoreTask.Kind.values().length,
        new ClaimQueue(new RoundRobinOutboxSelectionStrategy()),
        ColdRoom.ofOne(lanes, batchSize),
        Duration.ZERO);
  }

  /** For many stores, whose tasks share so many connections. */
  public static TaskQueues ofMany(
      Lanes lanes, OutboxConfig config, OutboxSelectionStrategy strategy, int permits) {
    return new TaskQueues(
        permits,
        new ClaimQueue(strategy),
        ColdRoom.ofMany(lanes, config.getPollerBatchSize()),
        Duration.ofMillis(config.getPollerIntervalMs()));
  }

  void register(StoreTask claim, OutboxStore store, int batchSize) {
    claims.register(claim, store);
    room.batchSize(batchSize);
  }

  ClaimQueue claims() {
    return claims;
  }

  boolean isEmpty() {
    return upkeep.isEmpty()
        && claims.isEmpty()
        && looks.isEmpty()
        && sated.isEmpty()
        && freshProbes.isEmpty()
        && probes.isEmpty();
  }

  void add(StoreTask task) {
    task.queued = true;
    if (task.isProbe()) {
      addProbe(task);
    } else if (task.isClaim()) {
      claims.add(task);
    } else if (task.isLook()) {
      looks.add(task);
    } else {
      upkeep.add(task);
    }
  }

  private void addProbe(StoreTask task) {
    (task.owner().health().isFresh() ? freshProbes : probes).add(task);
  }

  void remove(StoreTask task) {
    upkeep.remove(task);
    freshProbes.remove(task);
    probes.remove(task);
    sated.remove(task);
    looks.remove(task);
    task.queued = false;
    if (task.isClaim()) {
      claims.unregister(task);
    }
  }

  /** The database was looked into by a claim: a look has time again. */
  void looked(StoreTask look) {
    if (look.queued) {
      remove(look);
    }
    looks.looked(look, System.nanoTime());
  }

  /** What waited to probe a database that answers again waits no longer. */
  void recovered(StoreTask.Owner store) {
    if (store.health().isDown()) {
      return;
    }
    List<StoreTask> back =
        Stream.of(freshProbes, probes)
            .flatMap(Deque::stream)
            .filter(task -> task.owner() == store)
            .toList();
    freshProbes.removeAll(back);
    probes.removeAll(back);
    back.forEach(this::add);
  }

  /** Takes out the next task that may run now; null if there is none. */
  @Nullable StoreTask begin() {
    StoreTask task = next();
    if (task != null) {
      begin(task);
    }
    return task;
  }

  private @Nullable StoreTask next() {
    StoreTask next = nextUpkeep();
    if (next == null) {
      next = nextProbe(freshProbes);
    }
    if (next == null) {
      next = nextProbe(probes);
    }
    if (next == null) {
      next = nextLateLook();
    }
    if (next == null) {
      next = nextClaim();
    }
    return next == null ? nextLook(claiming + maintaining == 0) : next;
  }

  private @Nullable StoreTask nextUpkeep() {
    StoreTask task = upkeep.poll();
    while (task != null && task.isProbe()) {
      addProbe(task);
      task = upkeep.poll();
    }
    return task;
  }

  private @Nullable StoreTask nextProbe(Deque<StoreTask> candidates) {
    Iterator<StoreTask> waiting = candidates.iterator();
    while (waiting.hasNext() && probed.size() < maxProbes) {
      StoreTask task = waiting.next();
      if (!probed.contains(task.owner()) && (!task.isClaim() || room.isThere())) {
        waiting.remove();
        task.probing = probed.add(task.owner());
        return task;
      }
    }
    return null;
  }

  private @Nullable StoreTask nextClaim() {
    List<StoreTask> hungry = sated.stream().filter(task -> room.isThereFor(task.owner())).toList();
    hungry.forEach(claims::add);
    hungry.forEach(sated::remove);
    while (mayClaim()) {
      StoreTask task = claims.poll();
      if (task == null) {
        return null;
      }
      if (task.isProbe()) {
        addProbe(task);
      } else if (!room.isThereFor(task.owner())) {
        sated.add(task);
      } else {
        return task;
      }
    }
    return null;
  }

  private boolean mayClaim() {
    return mayAsk() && room.isThere();
  }

  private boolean mayAsk() {
    return claiming + looks.running() < maxClaims;
  }

  /** Every second time, so that neither claims without end keep looks away nor looks claims. */
  private @Nullable StoreTask nextLateLook() {
    StoreTask late = turnOfLooks ? nextLook(false) : null;
    turnOfLooks = late == null;
    return late;
  }

  private @Nullable StoreTask nextLook(boolean quiet) {
    while (mayAsk()) {
      StoreTask task = looks.poll(quiet, System.nanoTime());
      if (task == null || !task.isProbe()) {
        return task;
      }
      addProbe(task);
    }
    return null;
  }

  /** How long until a look may begin that may not yet. */
  long nanosToNextLook(long now) {
    return looks.nanosToNext(now);
  }

  private void begin(StoreTask task) {
    task.queued = false;
    task.running = true;
    task.performer = Thread.currentThread();
    if (task.isClaim()) {
      task.share = room.reserve();
    }
    count(task, 1);
  }

  private void count(StoreTask task, int more) {
    if (task.probing) {
      return;
    }
    if (task.isClaim()) {
      claiming += more;
    } else if (task.isLook()) {
      looks.count(more);
    } else {
      maintaining += more;
    }
  }

  /** Makes room for others. */
  void end(StoreTask task) {
    task.running = false;
    if (task.isClaim()) {
      room.giveBack(task.share);
    } else if (task.isLook()) {
      looks.looked(task, System.nanoTime());
    }
    count(task, -1);
    if (task.probing) {
      task.probing = false;
      probed.remove(task.owner());
    }
  }
}

package outbox.dispatch;

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

/**
 * Duties that are due, and which of them gets the next free connection: upkeep before claims, so
 * that leases and outcomes never wait for new work; of claims, the one that the strategy chooses;
 * then looks that were not requested, in turn with claims once they are late. Only a few ever probe
 * databases that fail, one per database, so that these starve no other; one that has only just
 * failed goes first. Guarded by the roster's lock.
 */
final class DutyQueues {
  private static final int PERMITS_PER_PROBE = 8;
  private static final int PERMITS_PER_UPKEEP = 4;
  private static final int CLAIMS_PER_LOOK = 3;

  /** So that one database that does not answer does not delay looks into the others. */
  private static final int LEAST_LOOKS = 2;

  private final Deque<Duty> upkeep = new ArrayDeque<>();
  private final Deque<Duty> freshProbes = new ArrayDeque<>();
  private final Deque<Duty> probes = new ArrayDeque<>();
  private final Set<Station> probed = new HashSet<>();
  private final ClaimQueue claims;
  private final LookQueue looks;

  /** Claims of stations that have their share of the cold lane. */
  private final Set<Duty> sated = new LinkedHashSet<>();

  private final ColdRoom room;
  private final int maxProbes;
  private final int maxClaims;
  private int maintaining;
  private int claiming;
  private boolean turnOfLooks = true;

  /**
   * All empty.
   *
   * @param permits how many duties run at once; a part is kept for upkeep
   * @param lookPeriod how long a database may go without a look
   */
  DutyQueues(int permits, ClaimQueue claims, ColdRoom room, Duration lookPeriod) {
    this.claims = claims;
    this.room = room;
    this.maxProbes = Math.max(1, permits / PERMITS_PER_PROBE);
    this.maxClaims = Math.max(1, permits - Math.max(1, permits / PERMITS_PER_UPKEEP));
    this.looks = new LookQueue(Math.max(LEAST_LOOKS, maxClaims / CLAIMS_PER_LOOK), lookPeriod);
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

  void add(Duty duty) {
    duty.queued = true;
    if (duty.isProbe()) {
      addProbe(duty);
    } else if (duty.isClaim()) {
      claims.add(duty);
    } else if (duty.isLook()) {
      looks.add(duty);
    } else {
      upkeep.add(duty);
    }
  }

  private void addProbe(Duty duty) {
    (duty.station().outage().isFresh() ? freshProbes : probes).add(duty);
  }

  void remove(Duty duty) {
    upkeep.remove(duty);
    freshProbes.remove(duty);
    probes.remove(duty);
    sated.remove(duty);
    looks.remove(duty);
    duty.queued = false;
    if (duty.isClaim()) {
      claims.unregister(duty);
    }
  }

  /** The database was looked into by a claim: a look has time again. */
  void looked(Duty look) {
    if (look.queued) {
      remove(look);
    }
    looks.looked(look, System.nanoTime());
  }

  /** What waited to probe a database that answers again waits no longer. */
  void recovered(Station station) {
    if (station.outage().isDown()) {
      return;
    }
    List<Duty> back =
        Stream.of(freshProbes, probes)
            .flatMap(Deque::stream)
            .filter(duty -> duty.station() == station)
            .toList();
    freshProbes.removeAll(back);
    probes.removeAll(back);
    back.forEach(this::add);
  }

  /** Takes out the next duty that may run now; null if there is none. */
  @Nullable Duty begin() {
    Duty duty = next();
    if (duty != null) {
      begin(duty);
    }
    return duty;
  }

  private @Nullable Duty next() {
    Duty next = nextUpkeep();
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

  private @Nullable Duty nextUpkeep() {
    Duty duty = upkeep.poll();
    while (duty != null && duty.isProbe()) {
      addProbe(duty);
      duty = upkeep.poll();
    }
    return duty;
  }

  private @Nullable Duty nextProbe(Deque<Duty> candidates) {
    Iterator<Duty> waiting = candidates.iterator();
    while (waiting.hasNext() && probed.size() < maxProbes) {
      Duty duty = waiting.next();
      if (!probed.contains(duty.station()) && (!duty.isClaim() || room.isThere())) {
        waiting.remove();
        duty.probing = probed.add(duty.station());
        return duty;
      }
    }
    return null;
  }

  private @Nullable Duty nextClaim() {
    List<Duty> hungry = sated.stream().filter(duty -> room.isThereFor(duty.station())).toList();
    hungry.forEach(claims::add);
    hungry.forEach(sated::remove);
    while (mayClaim()) {
      Duty duty = claims.poll();
      if (duty == null) {
        return null;
      }
      if (duty.isProbe()) {
        addProbe(duty);
      } else if (!room.isThereFor(duty.station())) {
        sated.add(duty);
      } else {
        return duty;
      }
    }
    return null;
  }

  private boolean mayClaim() {
    return claiming + looks.running() < maxClaims && room.isThere();
  }

  /** Every second time, so that neither claims without end keep looks away nor looks claims. */
  private @Nullable Duty nextLateLook() {
    Duty late = turnOfLooks ? nextLook(false) : null;
    turnOfLooks = late == null;
    return late;
  }

  private @Nullable Duty nextLook(boolean quiet) {
    while (mayClaim()) {
      Duty duty = looks.poll(quiet, System.nanoTime());
      if (duty == null || !duty.isProbe()) {
        return duty;
      }
      addProbe(duty);
    }
    return null;
  }

  /** How long until a look may begin that may not yet. */
  long nanosToNextLook(long now) {
    return looks.nanosToNext(now);
  }

  private void begin(Duty duty) {
    duty.queued = false;
    duty.running = true;
    if (duty.isClaim()) {
      duty.share = room.reserve();
    }
    count(duty, 1);
  }

  private void count(Duty duty, int more) {
    if (duty.probing) {
      return;
    }
    if (duty.isClaim()) {
      claiming += more;
    } else if (duty.isLook()) {
      looks.count(more);
    } else {
      maintaining += more;
    }
  }

  /** Makes room for others. */
  void end(Duty duty) {
    duty.running = false;
    if (duty.isClaim()) {
      room.giveBack(duty.share);
    } else if (duty.isLook()) {
      looks.looked(duty, System.nanoTime());
    }
    count(duty, -1);
    if (duty.probing) {
      duty.probing = false;
      probed.remove(duty.station());
    }
  }
}

package outbox.dispatch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Duties that are due, and which of them gets the next free connection: upkeep before claims, so
 * that leases and outcomes never wait for new work; of claims, the one that the strategy chooses.
 * Only a few ever probe databases that fail, one per database, so that these starve nobody. Guarded
 * by the roster's lock.
 */
final class DutyQueues {
  private static final int PERMITS_PER_PROBE = 8;
  private static final int PERMITS_PER_UPKEEP = 4;

  private final Deque<Duty> upkeep = new ArrayDeque<>();
  private final Set<Duty> probes = new LinkedHashSet<>();
  private final Set<Station> probed = new HashSet<>();
  private final ClaimQueue claims;
  private final ColdRoom room;
  private final int maxProbes;
  private final int maxClaims;
  private int claiming;

  /**
   * All empty.
   *
   * @param permits how many duties run at once; a part is kept for upkeep
   */
  DutyQueues(int permits, ClaimQueue claims, ColdRoom room) {
    this.claims = claims;
    this.room = room;
    this.maxProbes = Math.max(1, permits / PERMITS_PER_PROBE);
    this.maxClaims = Math.max(1, permits - Math.max(1, permits / PERMITS_PER_UPKEEP));
  }

  ClaimQueue claims() {
    return claims;
  }

  boolean isEmpty() {
    return upkeep.isEmpty() && claims.isEmpty() && probes.isEmpty();
  }

  void add(Duty duty) {
    duty.queued = true;
    if (duty.isProbe()) {
      probes.add(duty);
    } else if (duty.isClaim()) {
      claims.add(duty);
    } else {
      upkeep.add(duty);
    }
  }

  void remove(Duty duty) {
    upkeep.remove(duty);
    probes.remove(duty);
    if (duty.isClaim()) {
      claims.unregister(duty);
    }
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
      next = nextProbe();
    }
    return next == null ? nextClaim() : next;
  }

  private @Nullable Duty nextUpkeep() {
    Duty duty = upkeep.poll();
    while (duty != null && duty.isProbe()) {
      probes.add(duty);
      duty = upkeep.poll();
    }
    return duty;
  }

  private @Nullable Duty nextProbe() {
    Iterator<Duty> waiting = probes.iterator();
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
    while (claiming < maxClaims && !claims.isEmpty() && room.isThere()) {
      Duty duty = claims.poll();
      if (duty != null && !duty.isProbe()) {
        return duty;
      }
      if (duty != null) {
        probes.add(duty);
      }
    }
    return null;
  }

  private void begin(Duty duty) {
    duty.queued = false;
    duty.running = true;
    if (duty.isClaim()) {
      duty.share = room.reserve();
      claiming += duty.probing ? 0 : 1;
    }
  }

  /** Makes room for others. */
  void end(Duty duty) {
    duty.running = false;
    if (duty.isClaim()) {
      room.giveBack(duty.share);
      claiming -= duty.probing ? 0 : 1;
    }
    if (duty.probing) {
      duty.probing = false;
      probed.remove(duty.station());
    }
  }
}

package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Decides which duty of which station gets the next free connection: upkeep before claims, so that
 * leases and outcomes never wait for new work; of claims, the one that the strategy chooses. Only a
 * few ever probe databases that fail, one per database, so that these starve nobody. Thread-safe.
 */
final class DutyRoster {
  private static final int PERMITS_PER_PROBE = 8;
  private static final int PERMITS_PER_UPKEEP = 4;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition available = lock.newCondition();
  private final Condition finished = lock.newCondition();
  private final Alarms alarms = new Alarms();
  private final Deque<Duty> upkeep = new ArrayDeque<>();
  private final Set<Duty> probes = new LinkedHashSet<>();
  private final Set<Station> probed = new HashSet<>();
  private final ClaimQueue claims;
  private final ColdRoom room;
  private final int maxProbes;
  private final int maxClaims;
  private int claiming;
  private @Nullable Thread leader;
  private boolean closed;

  /**
   * Nothing is on it yet.
   *
   * @param permits how many duties run at once; a part is kept for upkeep
   */
  DutyRoster(int permits, ClaimQueue claims, ColdRoom room) {
    this.claims = claims;
    this.room = room;
    this.maxProbes = Math.max(1, permits / PERMITS_PER_PROBE);
    this.maxClaims = Math.max(1, permits - Math.max(1, permits / PERMITS_PER_UPKEEP));
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
    duty.queued = true;
    if (duty.isProbe()) {
      probes.add(duty);
    } else if (duty.isClaim()) {
      claims.add(duty);
    } else {
      upkeep.add(duty);
    }
  }

  /** The next duty to perform, waited for; null once closed. */
  @Nullable Duty take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed) {
        for (Duty due = poll(); due != null; due = poll()) {
          enqueue(due);
        }
        Duty next = next();
        if (next != null) {
          begin(next);
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

  /** Whoever leaves sees to it that somebody takes what else is due, or waits for the alarm. */
  private void passTheWatchOn() {
    boolean watched = leader != null || alarms.isEmpty();
    if (!watched || !upkeep.isEmpty() || !claims.isEmpty() || !probes.isEmpty()) {
      available.signal();
    }
  }

  private @Nullable Duty poll() {
    return alarms.poll(System.nanoTime());
  }

  /** One thread waits for the next alarm, the others until they are woken. */
  @SuppressWarnings("WaitNotInLoop") // the caller's
  private void awaitWork() throws InterruptedException {
    if (leader != null || alarms.isEmpty()) {
      available.await();
      return;
    }
    Thread self = Thread.currentThread();
    leader = self;
    try {
      available.awaitNanos(alarms.nanosToNext(System.nanoTime()));
    } finally {
      leader = leader == self ? null : leader;
    }
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

  /** Ends a duty that was taken; it is due again after the pause, or when it is asked for. */
  void done(Duty duty, @Nullable Duration pause) {
    lock.lock();
    try {
      end(duty);
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
      available.signal();
    } finally {
      lock.unlock();
    }
  }

  private void end(Duty duty) {
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

  /** Tells the strategy what a claim came to. */
  void claimed(Duty claim, boolean more) {
    lock.lock();
    try {
      claims.claimed(claim, more);
    } finally {
      lock.unlock();
    }
  }

  void register(Berth berth) {
    lock.lock();
    try {
      claims.register(berth.claim(), berth.store());
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
        Alarms.cancel(duty);
        upkeep.remove(duty);
        probes.remove(duty);
        if (duty.isClaim()) {
          claims.unregister(duty);
        }
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

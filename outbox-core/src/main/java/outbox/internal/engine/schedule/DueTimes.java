package outbox.internal.engine.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.StoreTime;

/**
 * When the events that this process stored for later are due, so that it claims them at their time
 * and not at the next poll. Keeps the earliest {@value #CAPACITY} moments; what is due after those
 * is found by a poll. Thread-safe.
 *
 * <p>The store's clock decides what is due; {@link #sees} tells how this process's clock differs
 * from it. A claim that comes before that time by the store's clock, or that gets nothing, is
 * repeated after a moment.
 */
public final class DueTimes {
  static final int CAPACITY = 10_000;

  /** Events that are due within this time are claimed together. */
  private static final long GRAIN_MILLIS = 10;

  private static final Duration FARTHEST = Duration.ofDays(3650);

  private static final long FIRST_PAUSE_MILLIS = 5;
  private static final long LONGEST_PAUSE_MILLIS = 1_000;

  /** In milliseconds, the end of a grain each. */
  private final TreeSet<Long> times = new TreeSet<>();

  /** The last moment that a claim has to answer; null if there is none. */
  private @Nullable Long answering;

  /** When to claim again because the last claim got nothing; null if it need not. */
  private @Nullable Long again;

  private long pauseMillis = FIRST_PAUSE_MILLIS;

  /** By how much this process's clock is ahead of the store's; negative if it is behind. */
  private long aheadMillis;

  private volatile StoreTime time = StoreTime.LOCAL;

  /** The store's time as this process saw it last. */
  public StoreTime time() {
    return time;
  }

  /**
   * Learns how the clocks differ. The store read its clock between the request and the reply: that
   * bounds the difference on both sides. An estimate within the bounds stays.
   *
   * @param time the store's time, from a reply that has just arrived
   */
  public synchronized void sees(StoreTime time) {
    Instant storeTime = time.seen();
    if (storeTime != null) {
      this.time = time;
      long least = Duration.between(storeTime, time.asked()).toMillis();
      long most = Duration.between(storeTime, Instant.now()).toMillis();
      aheadMillis = Math.max(least, Math.min(aheadMillis, most));
    }
  }

  /** Returns whether a time is still to come by the store's clock. */
  public boolean isLater(Instant due) {
    return due.isAfter(Instant.now().minusMillis(aheadMillis()));
  }

  /** Adds the moment that comes after a delay; returns whether it is the next one now. */
  boolean addAfter(Duration delay) {
    return delay.compareTo(FARTHEST) < 0
        && add(Instant.now().minusMillis(aheadMillis()).plus(delay));
  }

  private synchronized long aheadMillis() {
    return aheadMillis;
  }

  /**
   * Adds a moment; returns whether it is the next one now. A moment that is too far away to be
   * counted in nanoseconds is left to the poller's looks.
   */
  boolean add(Instant due) {
    return due.isBefore(Instant.now().plus(FARTHEST))
        && isNext((due.toEpochMilli() / GRAIN_MILLIS + 1) * GRAIN_MILLIS);
  }

  private synchronized boolean isNext(long time) {
    if (!times.add(time)) {
      return false;
    }
    if (times.size() > CAPACITY) {
      times.pollLast();
    }
    return times.first() == time;
  }

  synchronized int size() {
    return times.size();
  }

  /** How long until the next claim; as long as possible if there is none. */
  public synchronized long nanosToNext() {
    long next = times.isEmpty() ? Long.MAX_VALUE : times.first() + aheadMillis;
    next = again == null ? next : Math.min(next, again);
    long millis = next == Long.MAX_VALUE ? next : next - System.currentTimeMillis();
    return millis > FARTHEST.toMillis()
        ? Long.MAX_VALUE
        : TimeUnit.MILLISECONDS.toNanos(Math.max(0, millis));
  }

  /** A claim begins: it answers every moment that has come; returns whether there is one. */
  public synchronized boolean begin() {
    again = null;
    long now = System.currentTimeMillis();
    while (!times.isEmpty() && times.first() + aheadMillis <= now) {
      answering = times.pollFirst();
      pauseMillis = FIRST_PAUSE_MILLIS;
    }
    return answering != null;
  }

  /**
   * A claim has ended.
   *
   * @param storeTime what the store's clock showed when it claimed; null if nothing was claimed
   */
  public synchronized void end(@Nullable Instant storeTime) {
    again = null;
    if (answering == null) {
      return;
    }
    if (storeTime == null && pauseMillis <= LONGEST_PAUSE_MILLIS) {
      again = System.currentTimeMillis() + pauseMillis;
      pauseMillis *= 2;
      return;
    }
    if (storeTime != null && storeTime.toEpochMilli() < answering) {
      times.add(answering);
    }
    answering = null;
  }
}

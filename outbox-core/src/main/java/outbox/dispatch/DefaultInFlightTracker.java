package outbox.dispatch;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A concurrent map of event ids; with a time to live, a stale entry can be acquired again. */
public final class DefaultInFlightTracker implements InFlightTracker {
  private static final long NEVER = 0;

  private final ConcurrentMap<String, Long> acquiredAt;
  private final long ttlNanos;
  private final LongSupplier nanoTime;

  public DefaultInFlightTracker() {
    this(NEVER, new ConcurrentHashMap<>(), System::nanoTime);
  }

  public DefaultInFlightTracker(long ttlMs) {
    this(nanos(ttlMs), new ConcurrentHashMap<>(), System::nanoTime);
  }

  DefaultInFlightTracker(
      long ttlNanos, ConcurrentMap<String, Long> acquiredAt, LongSupplier nanoTime) {
    this.ttlNanos = ttlNanos;
    this.acquiredAt = acquiredAt;
    this.nanoTime = nanoTime;
  }

  private static long nanos(long ttlMs) {
    if (ttlMs < 1) {
      throw new IllegalArgumentException("ttlMs (" + ttlMs + ") must be at least 1");
    }
    return TimeUnit.MILLISECONDS.toNanos(ttlMs);
  }

  @Override
  public boolean tryAcquire(String eventId) {
    long now = nanoTime.getAsLong();
    Long since = acquiredAt.putIfAbsent(requireNonNull(eventId, "eventId"), now);
    if (since == null) {
      return true;
    }
    boolean stale = ttlNanos != NEVER && now - since > ttlNanos;
    return stale && acquiredAt.replace(eventId, since, now);
  }

  @Override
  public void release(String eventId) {
    acquiredAt.remove(requireNonNull(eventId, "eventId"));
  }
}

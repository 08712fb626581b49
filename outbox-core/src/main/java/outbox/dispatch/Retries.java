package outbox.dispatch;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.util.Causes;

/**
 * How an event is tried again after a failure: after which delays, how often and how long at the
 * most, and after which exceptions never or always. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * Retries.exponential(Duration.ofSeconds(1), Duration.ofMinutes(10))
 *     .jitter(0.2)
 *     .maxAttempts(10)
 *     .maxAge(Duration.ofDays(1))
 *     .never(ValidationException.class)
 *     .always(ConnectException.class)
 * }</pre>
 *
 * <p>If neither {@link #maxAttempts} nor {@link #maxAge} is set, {@code retryMaxAttempts} of the
 * configuration is the limit; as soon as one is set, only what is set holds.
 */
public final class Retries {
  private static final Duration A_MINUTE = Duration.ofMinutes(1);

  private final RetryPolicy schedule;
  private final double jitter;
  private final @Nullable Integer maxAttempts;
  private final @Nullable Duration maxAge;
  private final Map<Class<?>, Boolean> retriedByType;
  private final boolean releasesKey;

  private Retries(
      RetryPolicy schedule,
      double jitter,
      @Nullable Integer maxAttempts,
      @Nullable Duration maxAge,
      Map<Class<?>, Boolean> retriedByType,
      boolean releasesKey) {
    this.schedule = schedule;
    this.jitter = jitter;
    this.maxAttempts = maxAttempts;
    this.maxAge = maxAge;
    this.retriedByType = retriedByType;
    this.releasesKey = releasesKey;
  }

  /** The delays of the dispatcher: 200 ms, 400 ms … up to a minute, each give or take a half. */
  public static Retries quick() {
    return exponential(Duration.ofMillis(200), A_MINUTE).jitter(0.5);
  }

  /** The delays of the work queue and of the inbox: 2, 4, 8 … up to 60 seconds. */
  public static Retries moderate() {
    return exponential(Duration.ofSeconds(2), A_MINUTE);
  }

  /** Delays for a system that may be gone for hours: 20, 40, 80 s … up to an hour, ± 20 %. */
  public static Retries patient() {
    return exponential(Duration.ofSeconds(20), Duration.ofHours(1)).jitter(0.2);
  }

  /** Tries again after this delay, however often an event has failed. */
  public static Retries fixed(Duration delay) {
    if (requireNonNull(delay, "delay").isNegative()) {
      throw new IllegalArgumentException("delay (" + delay + ") must not be negative");
    }
    long millis = millis("delay", delay);
    return of(attempts -> millis);
  }

  /** Doubles the delay with each attempt, from {@code first} up to {@code longest}. */
  public static Retries exponential(Duration first, Duration longest) {
    long from = millis("first", requireNonNull(first, "first"));
    long to = millis("longest", requireNonNull(longest, "longest"));
    if (from < 1) {
      throw new IllegalArgumentException("first (" + first + ") must be at least PT0.001S");
    }
    if (to < from) {
      throw new IllegalArgumentException(
          "longest (" + longest + ") must be at least first (" + first + ")");
    }
    return of(attempts -> Delays.doubled(from, to, attempts));
  }

  /** Delays by any other formula. */
  public static Retries of(RetryPolicy schedule) {
    return new Retries(requireNonNull(schedule, "schedule"), 0, null, null, Map.of(), false);
  }

  /** Times a random factor from {@code 1 - part} to {@code 1 + part}, to scatter what failed. */
  public Retries jitter(double part) {
    if (!(part >= 0 && part <= 1)) {
      throw new IllegalArgumentException("jitter (" + part + ") must be from 0 to 1");
    }
    return new Retries(schedule, part, maxAttempts, maxAge, retriedByType, releasesKey);
  }

  /** Deliveries in all; {@link Integer#MAX_VALUE} for no limit. */
  public Retries maxAttempts(int maxAttempts) {
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("maxAttempts (" + maxAttempts + ") must be at least 1");
    }
    return new Retries(schedule, jitter, maxAttempts, maxAge, retriedByType, releasesKey);
  }

  /** No attempt comes later than this after the event was created or, if later, due. */
  public Retries maxAge(Duration maxAge) {
    if (requireNonNull(maxAge, "maxAge").isZero() || maxAge.isNegative()) {
      throw new IllegalArgumentException("maxAge (" + maxAge + ") must be longer than zero");
    }
    return new Retries(schedule, jitter, maxAttempts, maxAge, retriedByType, releasesKey);
  }

  /**
   * Dead at once after an exception of this class, or one that it caused. The exception thrown goes
   * before its causes, and a class before its superclass, if both are named.
   *
   * @throws IllegalArgumentException if the class is to be retried {@link #always}
   */
  public Retries never(Class<? extends Throwable> type) {
    return retrying(type, false);
  }

  /**
   * Tried again after an exception of this class, or one that it caused, whatever {@link
   * #maxAttempts} says; {@link #maxAge} holds.
   *
   * @throws IllegalArgumentException if the class is {@link #never} to be retried
   */
  public Retries always(Class<? extends Throwable> type) {
    return retrying(type, true);
  }

  private Retries retrying(Class<? extends Throwable> type, boolean retried) {
    Map<Class<?>, Boolean> changed = new HashMap<>(retriedByType);
    Boolean before = changed.put(requireNonNull(type, "type"), retried);
    if (before != null && before != retried) {
      throw new IllegalArgumentException(
          type.getName() + " cannot be retried both never and always; leave one of them out");
    }
    return new Retries(schedule, jitter, maxAttempts, maxAge, Map.copyOf(changed), releasesKey);
  }

  /**
   * Lets the next event of an ordering key start when one has died. Without this, a dead event
   * holds its key until an operator replays, discards or releases it.
   */
  public Retries releasingKey() {
    return new Retries(schedule, jitter, maxAttempts, maxAge, retriedByType, true);
  }

  boolean releasesKey() {
    return releasesKey;
  }

  /** Returns the delays alone, jitter included, for callers that count attempts themselves. */
  public RetryPolicy delays() {
    return attempts -> Delays.scattered(schedule.computeDelayMs(attempts), jitter);
  }

  /** Returns these rules, with a limit of attempts if they have no limit of their own. */
  Retries limitedTo(int attempts) {
    return maxAttempts == null && maxAge == null ? maxAttempts(attempts) : this;
  }

  int maxAttempts() {
    return maxAttempts == null ? Integer.MAX_VALUE : maxAttempts;
  }

  @Nullable Duration maxAge() {
    return maxAge;
  }

  /** What is said of the error or, failing that, of what caused it; null if nothing is. */
  @Nullable Rule ruleFor(Throwable error) {
    for (Throwable cause : Causes.of(error)) {
      for (Class<?> type = cause.getClass(); type != null; type = type.getSuperclass()) {
        Boolean retried = retriedByType.get(type);
        if (retried != null) {
          return new Rule(type, retried);
        }
      }
    }
    return null;
  }

  /** A class of exceptions and whether they are always retried or never. */
  record Rule(Class<?> type, boolean retried) {}

  private static long millis(String name, Duration value) {
    if (value.compareTo(Outcome.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          name + " (" + value + ") must not exceed " + Outcome.LONGEST_DELAY);
    }
    return value.toMillis();
  }
}

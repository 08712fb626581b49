package outbox.internal.engine.handling;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.util.Pause;

/**
 * What runs in one process, whatever engine and database it belongs to: many deliveries side by
 * side, or one alone. Thread-safe.
 */
public final class ProcessRuns {
  /** A JVM ends as a whole, so all its engines share this. */
  public static final ProcessRuns OF_THIS_JVM = new ProcessRuns();

  /** How long one that is to run alone waits for the others to end. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** How long the others wait for one that runs alone: one slow event must not stop a node. */
  private static final Duration QUIET = Duration.ofSeconds(5);

  private static final Duration STEP = Duration.ofMillis(2);
  private static final Duration SHORTEST_DELAY = Duration.ofMillis(50);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);
  private static final int DOZEN = 12;

  private final AtomicInteger running = new AtomicInteger();
  private final Set<Delivery> counted = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable Stay> alone = new AtomicReference<>();

  /** The delivery that has the process to itself. */
  private record Stay(Delivery delivery, long since, AtomicInteger refusals) {
    static Stay of(Delivery delivery) {
      return new Stay(delivery, System.nanoTime(), new AtomicInteger());
    }

    Duration age() {
      return Duration.ofNanos(System.nanoTime() - since);
    }

    boolean isYoungerThan(Duration limit) {
      return age().compareTo(limit) < 0;
    }
  }

  /**
   * Begins a run beside others; waits while one runs alone.
   *
   * <p>Races with {@link #beginAlone}: each first shows itself and then looks for the other.
   */
  void begin(BooleanSupplier impatient) {
    running.incrementAndGet();
    while (isQuiet() && !impatient.getAsBoolean()) {
      running.decrementAndGet();
      Pause.of(STEP);
      running.incrementAndGet();
    }
  }

  private boolean isQuiet() {
    Stay stay = alone.get();
    return stay != null && stay.delivery.isAtStake() && stay.isYoungerThan(PATIENCE.plus(QUIET));
  }

  /**
   * Begins a run alone, once all others have ended and their outcomes are stored, or after a while
   * in any case.
   *
   * @return false if another delivery runs alone
   */
  boolean beginAlone(Delivery delivery) {
    Stay stay = Stay.of(delivery);
    Stay present = alone.get();
    if ((present != null && present.delivery.isAtStake()) || !alone.compareAndSet(present, stay)) {
      return false;
    }
    running.incrementAndGet();
    while (isAnythingAtStake() && stay.isYoungerThan(PATIENCE)) {
      Pause.of(STEP);
    }
    return true;
  }

  private boolean isAnythingAtStake() {
    counted.removeIf(delivery -> !delivery.isAtStake());
    return running.get() > 1 || !counted.isEmpty();
  }

  /**
   * How long to put off a delivery that cannot run alone yet: as long as the present one has run,
   * and longer for each dozen that wait already. In steps, so that many are put off together.
   */
  Duration delay() {
    Stay stay = alone.get();
    if (stay == null) {
      return SHORTEST_DELAY;
    }
    long steps = 1 + stay.age().toMillis() / SHORTEST_DELAY.toMillis();
    long turns = 1L + stay.refusals.getAndIncrement() / DOZEN;
    Duration turn = SHORTEST_DELAY.multipliedBy(steps * turns);
    return turn.compareTo(LONGEST_DELAY) < 0 ? turn : LONGEST_DELAY;
  }

  /** From now on the end of the process counts against the delivery's event. */
  void counts(Delivery delivery) {
    counted.add(delivery);
  }

  /** Ends a run; its outcome may not be stored yet. */
  void end() {
    running.decrementAndGet();
  }

  /** The outcome is stored, or will not be: the end of the process no longer concerns it. */
  public void settled(Delivery delivery) {
    Stay stay = alone.get();
    if (stay != null && stay.delivery == delivery) {
      alone.compareAndSet(stay, null);
    }
    if (!counted.isEmpty()) {
      counted.remove(delivery);
    }
  }
}

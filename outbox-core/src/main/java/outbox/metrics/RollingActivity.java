package outbox.metrics;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts deliveries, and tells how many there were in the last while. Counting is cheap and never
 * waits; the window moves on with each {@link #activity} call. Thread-safe.
 */
public final class RollingActivity {
  private static final int SAMPLES_PER_WINDOW = 60;

  private final long windowNanos;
  private final LongSupplier nanoTime;
  private final LongAdder processed = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final Deque<Sample> samples = new ArrayDeque<>();

  /**
   * Starts counting.
   *
   * @throws IllegalArgumentException if the window is not positive
   */
  public RollingActivity(Duration window) {
    this(window, System::nanoTime);
  }

  /**
   * Starts counting by the given clock.
   *
   * @param nanoTime a monotonic clock in nanoseconds, such as {@link System#nanoTime}
   * @throws IllegalArgumentException if the window is not positive
   */
  public RollingActivity(Duration window, LongSupplier nanoTime) {
    if (window.isNegative() || window.isZero()) {
      throw new IllegalArgumentException("window (" + window + ") must be positive");
    }
    this.windowNanos = window.toNanos();
    this.nanoTime = requireNonNull(nanoTime, "nanoTime");
    samples.add(new Sample(nanoTime.getAsLong(), 0, 0));
  }

  /** Counts deliveries that succeeded. */
  public void processed(long deliveries) {
    processed.add(deliveries);
  }

  /** Counts deliveries that failed. */
  public void failed(long deliveries) {
    failed.add(deliveries);
  }

  /**
   * The activity since the start of the window, or of the counting if that was later. Between two
   * calls that are further apart than the window, it is the time between them.
   */
  public synchronized Activity activity() {
    Sample now = new Sample(nanoTime.getAsLong(), processed.sum(), failed.sum());
    while (samples.size() > 1 && now.nanos() - second().nanos() >= windowNanos) {
      samples.removeFirst();
    }
    Sample start = samples.getFirst();
    if (now.nanos() - samples.getLast().nanos() >= windowNanos / SAMPLES_PER_WINDOW) {
      samples.addLast(now);
    }
    return new Activity(
        Duration.ofNanos(now.nanos() - start.nanos()),
        now.processed() - start.processed(),
        now.failed() - start.failed());
  }

  private Sample second() {
    var two = samples.iterator();
    two.next();
    return two.next();
  }

  private record Sample(long nanos, long processed, long failed) {}
}

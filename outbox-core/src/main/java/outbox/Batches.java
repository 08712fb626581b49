package outbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * How events are gathered for a {@link BatchListener}.
 *
 * @param size the most events of a batch; 1 to {@value #MAX_SIZE}
 * @param linger how long the first event of a batch waits for others while the batch is not full;
 *     zero takes what is there. At most {@link #MAX_LINGER}
 */
public record Batches(int size, Duration linger) {
  /** The largest size of a batch: {@value}. */
  public static final int MAX_SIZE = 10_000;

  /** The longest time that an event waits for others: leases are renewed meanwhile. */
  public static final Duration MAX_LINGER = Duration.ofMinutes(1);

  public Batches {
    if (size < 1 || size > MAX_SIZE) {
      throw new InvalidSettingException(
          "size (" + size + ") of a batch must be 1 to " + MAX_SIZE, "size");
    }
    if (requireNonNull(linger, "linger").isNegative() || linger.compareTo(MAX_LINGER) > 0) {
      throw new InvalidSettingException(
          "linger (" + linger + ") of a batch must be 0 to " + MAX_LINGER, "linger");
    }
  }

  /** Batches of this size at the most, which wait for nothing. */
  public static Batches of(int size) {
    return new Batches(size, Duration.ZERO);
  }

  /** Returns the same with another linger. */
  public Batches linger(Duration linger) {
    return new Batches(size, linger);
  }
}

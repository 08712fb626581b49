package outbox;

import static java.util.Objects.requireNonNull;

import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import outbox.internal.text.EnvelopeRules;

/**
 * How a change of many dead letters is made: by whom, and how fast. Immutable.
 *
 * @param by who does it, for the trace that is kept; at most 64 characters
 * @param batchSize how many one transaction changes
 * @param perSecond how many are changed in a second at the most
 * @param maxBacklog a replay waits while more than this many messages are due and not taken, so
 *     that what is sent meanwhile does not queue up behind it; for 10 seconds a batch at the most
 * @param failedOnly whether a replay runs only the listeners that are not done yet; else all
 * @param progress told after each batch how many have been changed so far; returns false to stop
 * @param stop asked between batches and while it waits; true ends it, with what was changed so far
 */
public record Bulk(
    String by,
    int batchSize,
    int perSecond,
    int maxBacklog,
    boolean failedOnly,
    LongPredicate progress,
    BooleanSupplier stop) {
  /** How many one transaction changes by default: {@value}. */
  public static final int DEFAULT_BATCH_SIZE = 500;

  /** How many are changed in a second by default: {@value}. */
  public static final int DEFAULT_PER_SECOND = 2_000;

  /** The backlog that a replay waits for by default: {@value}. */
  public static final int DEFAULT_MAX_BACKLOG = 2_000;

  /** Checks the name and the numbers. */
  public Bulk {
    EnvelopeRules.operator(by);
    requireNonNull(progress, "progress");
    requireNonNull(stop, "stop");
    requirePositive("batchSize", batchSize);
    requirePositive("perSecond", perSecond);
    requirePositive("maxBacklog", maxBacklog);
  }

  /** Everything else has a default. */
  public static Bulk by(String by) {
    return new Bulk(
        by,
        DEFAULT_BATCH_SIZE,
        DEFAULT_PER_SECOND,
        DEFAULT_MAX_BACKLOG,
        false,
        changed -> true,
        () -> false);
  }

  /** Returns this run with another number of dead letters for each statement. */
  public Bulk batchSize(int value) {
    return new Bulk(by, value, perSecond, maxBacklog, failedOnly, progress, stop);
  }

  /** Returns this run with another limit of dead letters for each second. */
  public Bulk perSecond(int value) {
    return new Bulk(by, batchSize, value, maxBacklog, failedOnly, progress, stop);
  }

  /** Returns this run with another backlog above which a replay waits. */
  public Bulk maxBacklog(int value) {
    return new Bulk(by, batchSize, perSecond, value, failedOnly, progress, stop);
  }

  /** A replay runs only the listeners that are not done yet, instead of all. */
  public Bulk failedOnly(boolean value) {
    return new Bulk(by, batchSize, perSecond, maxBacklog, value, progress, stop);
  }

  /**
   * Returns this run with a check after each batch: it gets the number of changed dead letters, and
   * the run ends when it returns false.
   */
  public Bulk progress(LongPredicate value) {
    return new Bulk(by, batchSize, perSecond, maxBacklog, failedOnly, value, stop);
  }

  /** Returns this run with a check that ends it as soon as it returns true. */
  public Bulk stop(BooleanSupplier value) {
    return new Bulk(by, batchSize, perSecond, maxBacklog, failedOnly, progress, value);
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " (" + value + ") must be at least 1");
    }
  }
}

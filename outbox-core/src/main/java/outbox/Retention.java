package outbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long messages are kept after their end, and how gently they are removed. An age of null keeps
 * them for ever. Immutable.
 *
 * @param payloads how long the payload of a completed message is kept; null for as long as the
 *     message. A shorter time costs one more write per message
 * @param completed how long a completed message is kept, and with it its key: the time in which a
 *     duplicate is recognised
 * @param dead how long a dead letter is kept
 * @param joins how long a join is kept after its end; an inbox has none
 * @param interval the time between two looks when there was nothing left to do; each is a quarter
 *     longer or shorter by chance, so that nodes do not look at once
 * @param batchSize rows removed by one transaction
 * @param pause the shortest time between two batches; one that took longer is followed by a pause
 *     of its own length
 * @param turn how long one database is served while others wait for their turn
 */
public record Retention(
    @Nullable Duration payloads,
    @Nullable Duration completed,
    @Nullable Duration dead,
    @Nullable Duration joins,
    Duration interval,
    int batchSize,
    Duration pause,
    Duration turn) {

  /** The most rows that one transaction may remove: {@value}. */
  public static final int MAX_BATCH_SIZE = 10_000;

  private static final Duration WEEK = Duration.ofDays(7);
  private static final Duration MONTH = Duration.ofDays(30);

  private static final Retention OUTBOX =
      new Retention(
          null,
          WEEK,
          null,
          null,
          Duration.ofMinutes(1),
          500,
          Duration.ofMillis(20),
          Duration.ofSeconds(10));

  /** Checks that the ages go together. */
  public Retention {
    requireNotNegative("payloads", payloads);
    requireNotNegative("completed", completed);
    requireNotNegative("dead", dead);
    requireNotNegative("joins", joins);
    requireNotNegative("pause", requireNonNull(pause, "pause"));
    requirePositive("interval", interval);
    requirePositive("turn", turn);
    if (batchSize < 1 || batchSize > MAX_BATCH_SIZE) {
      throw new InvalidSettingException(
          "batchSize (" + batchSize + ") must be 1 to " + MAX_BATCH_SIZE, "batchSize");
    }
    if (payloads != null && completed != null && payloads.compareTo(completed) > 0) {
      throw new InvalidSettingException(
          "payloads ("
              + payloads
              + ") must not be longer than completed ("
              + completed
              + "): a payload cannot outlive its message; raise completed or lower payloads",
          "payloads",
          "completed");
    }
  }

  /** An outbox: completed messages 7 days, dead letters and joins for ever. */
  public static Retention ofOutbox() {
    return OUTBOX;
  }

  /** An inbox: payloads 7 days, keys 30 days, dead letters for ever. */
  public static Retention ofInbox() {
    return OUTBOX.completed(MONTH).payloads(WEEK);
  }

  /** Keeps everything for ever: completed messages, payloads, dead letters and joins. */
  public static Retention keepForever() {
    return OUTBOX.completed(null);
  }

  /**
   * Returns this retention with another age at which payloads of completed messages are removed;
   * null to keep them with their message.
   */
  public Retention payloads(@Nullable Duration age) {
    return new Retention(age, completed, dead, joins, interval, batchSize, pause, turn);
  }

  /**
   * Returns this retention with another age at which completed messages are removed; null to keep
   * them for ever.
   */
  public Retention completed(@Nullable Duration age) {
    return new Retention(payloads, age, dead, joins, interval, batchSize, pause, turn);
  }

  /**
   * Returns this retention with another age at which dead letters are removed; null to keep them
   * for ever.
   */
  public Retention dead(@Nullable Duration age) {
    return new Retention(payloads, completed, age, joins, interval, batchSize, pause, turn);
  }

  /**
   * Returns this retention with another age at which ended joins are removed; null to keep them for
   * ever.
   */
  public Retention joins(@Nullable Duration age) {
    return new Retention(payloads, completed, dead, age, interval, batchSize, pause, turn);
  }

  /** Returns this retention with another time between two runs of the housekeeper. */
  public Retention interval(Duration value) {
    return new Retention(payloads, completed, dead, joins, value, batchSize, pause, turn);
  }

  /** Returns this retention with another number of rows for each statement. */
  public Retention batchSize(int value) {
    return new Retention(payloads, completed, dead, joins, interval, value, pause, turn);
  }

  /** Returns this retention with another pause between two batches. */
  public Retention pause(Duration value) {
    return new Retention(payloads, completed, dead, joins, interval, batchSize, value, turn);
  }

  /**
   * Returns this retention with another time after which the housekeeper turns to the next table.
   */
  public Retention turn(Duration value) {
    return new Retention(payloads, completed, dead, joins, interval, batchSize, pause, value);
  }

  private static void requireNotNegative(String name, @Nullable Duration value) {
    if (value != null && value.isNegative()) {
      throw new InvalidSettingException(name + " (" + value + ") must not be negative", name);
    }
  }

  private static void requirePositive(String name, Duration value) {
    if (requireNonNull(value, name).isNegative() || value.isZero()) {
      throw new InvalidSettingException(name + " (" + value + ") must be longer than zero", name);
    }
  }
}

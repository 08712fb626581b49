package outbox.internal.engine.intake;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where in the order of availability the next claim may start: a little behind where the last one
 * ended. Not thread-safe; one claim runs at a time.
 */
final class ClaimHint {
  /** Room for transactions that commit late. */
  private static final Duration LONGEST_SLACK = Duration.ofMillis(500);

  private static final int SLACK_BATCHES = 5;
  private static final Duration LONGEST_HINTED_RUN = Duration.ofSeconds(5);

  /** Null after a short batch, a failure or a restart. */
  private @Nullable Instant start;

  private @Nullable Instant lastWatermark;
  private long lastCompleteScan;

  /** Null for a complete scan. */
  @Nullable Instant start() {
    return start;
  }

  void clear() {
    start = null;
  }

  /**
   * The hint passes over what transactions that commit late have put behind it, so not for long.
   */
  boolean isCompleteScanDue() {
    long now = System.nanoTime();
    boolean due = start == null || now - lastCompleteScan > LONGEST_HINTED_RUN.toNanos();
    if (due) {
      lastCompleteScan = now;
      start = null;
    }
    return due;
  }

  /**
   * The slack is a few batches wide at the most: in a dense backlog half a second may hold half of
   * it, and rows that commit later than that are found by the next complete scan.
   */
  void moveBehind(@Nullable Instant watermark) {
    Instant before = lastWatermark;
    lastWatermark = watermark;
    if (watermark == null) {
      start = null;
      return;
    }
    Duration batches =
        before == null
            ? LONGEST_SLACK
            : Duration.between(before, watermark).abs().multipliedBy(SLACK_BATCHES);
    boolean dense = batches.compareTo(LONGEST_SLACK) < 0;
    start = watermark.minus(dense ? batches : LONGEST_SLACK);
  }
}

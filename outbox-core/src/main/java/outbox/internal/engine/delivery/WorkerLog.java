package outbox.internal.engine.delivery;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import outbox.internal.text.LogSettings;
import outbox.internal.text.LogText;

/**
 * What workers do, in lines that other programs may read: a constant prefix, then identities and
 * numbers, never anything of the content. While a logger is off, its lines cost a look at its level
 * and nothing is made. Thread-safe.
 */
public final class WorkerLog {
  /** Below the logger of all lines that come once per message, so that one switch silences both. */
  static final String MESSAGES = "outbox.messages.worker";

  static final String SUMMARY = "outbox.worker";

  static final Duration SUMMARY_PERIOD = Duration.ofMinutes(1);

  private static final Logger LINES = System.getLogger(MESSAGES);
  private static final Logger SUMMARIES = System.getLogger(SUMMARY);

  private final LongSupplier nanoTime;
  private final AtomicLong summarizedAt;
  private final LongAdder fetched = new LongAdder();
  private final LongAdder succeeded = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private final LongAdder skipped = new LongAdder();

  public WorkerLog() {
    this(System::nanoTime);
  }

  public WorkerLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.summarizedAt = new AtomicLong(nanoTime.getAsLong());
  }

  /** A claim; one that found nothing is told at DEBUG only. */
  public void fetched(int count, String label) {
    fetched.add(count);
    Level level = count > 0 ? LogSettings.perMessage() : Level.DEBUG;
    if (LINES.isLoggable(level)) {
      LINES.log(level, "OUTBOX_WORKER_FETCH count=" + count + label);
    }
  }

  /** The database has the event as done. */
  public void succeeded(Delivery delivery) {
    succeeded.increment();
    Level level = LogSettings.perMessage();
    if (LINES.isLoggable(level)) {
      LINES.log(level, "OUTBOX_WORKER_DISPATCH_SUCCESS" + idAndKey(delivery));
    }
  }

  /**
   * A listener failed.
   *
   * @param max deliveries in all; {@link Integer#MAX_VALUE} if their number has no limit
   */
  public void failed(Delivery delivery, int max) {
    failed.increment();
    Level level = LogSettings.perMessage();
    if (LINES.isLoggable(level)) {
      String limit = max == Integer.MAX_VALUE ? "unlimited" : Integer.toString(max);
      LINES.log(
          level,
          "OUTBOX_WORKER_DISPATCH_FAIL"
              + idAndKey(delivery)
              + " retry="
              + (delivery.attempts() + 1)
              + " max="
              + limit);
    }
  }

  /** The database has the event as dead. */
  public void died() {
    dead.increment();
  }

  /** An event in hand turned out to be processed already. */
  public void skippedProcessed(Delivery delivery) {
    skipped.increment();
    Level level = LogSettings.perMessage();
    if (LINES.isLoggable(level)) {
      LINES.log(level, "OUTBOX_WORKER_SKIP_PROCESSED id=" + LogText.of(delivery.id()));
    }
  }

  private static String idAndKey(Delivery delivery) {
    return " id="
        + LogText.of(delivery.id())
        + " key="
        + LogText.of(delivery.key())
        + delivery.origin().label();
  }

  /** Called in each cycle; says once in a while what was done since the last time, if anything. */
  public void summarizeIfDue() {
    long now = nanoTime.getAsLong();
    long last = summarizedAt.get();
    if (now - last < SUMMARY_PERIOD.toNanos() || !summarizedAt.compareAndSet(last, now)) {
      return;
    }
    long fetches = fetched.sumThenReset();
    long successes = succeeded.sumThenReset();
    long failures = failed.sumThenReset();
    long deaths = dead.sumThenReset();
    long skips = skipped.sumThenReset();
    if (fetches + successes + failures + deaths + skips > 0 && SUMMARIES.isLoggable(Level.INFO)) {
      SUMMARIES.log(
          Level.INFO,
          "OUTBOX_WORKER_SUMMARY seconds="
              + Duration.ofNanos(now - last).toSeconds()
              + " fetched="
              + fetches
              + " succeeded="
              + successes
              + " failed="
              + failures
              + " dead="
              + deaths
              + " skipped="
              + skips);
    }
  }
}

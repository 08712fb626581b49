package outbox.jdbc.internal.sql;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Gives the text of a statement a new edition from time to time, and so a new plan, where the
 * database keeps plans by their text. A plan is worth keeping: making it costs more than running it
 * on a few rows, and a session makes ten before it keeps one. So an edition ends after some seconds
 * only if it has been used, and in any case after a minute. Thread-safe.
 */
final class PlanRotation {
  private static final long SHORTEST_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int ENOUGH_USES = 200;

  /** Never given twice in a process: stores that share a pool must not meet each other's plans. */
  private static final AtomicLong EDITIONS = new AtomicLong();

  private final LongSupplier clock;
  private volatile Edition edition;

  PlanRotation() {
    this(System::nanoTime);
  }

  PlanRotation(LongSupplier nanoClock) {
    this.clock = nanoClock;
    this.edition = new Edition(nanoClock.getAsLong());
  }

  /** The text of the edition of now. */
  String of(String sql) {
    Edition current = edition;
    long now = clock.getAsLong();
    if (current.isOver(now)) {
      current = new Edition(now);
      edition = current;
    }
    return current.text(sql);
  }

  private static final class Edition {
    private final long number = EDITIONS.incrementAndGet();
    private final long since;
    private volatile int uses;
    private String plain = "";
    private String text = "";

    Edition(long since) {
      this.since = since;
    }

    boolean isOver(long now) {
      long age = now - since;
      return age > LONGEST_NANOS || (age > SHORTEST_NANOS && uses >= ENOUGH_USES);
    }

    /** Kept, as a driver that looks a text up takes its hash each time it is a new one. */
    synchronized String text(String sql) {
      uses = uses + 1;
      if (!plain.equals(sql)) {
        plain = sql;
        text = sql + "\n-- plan " + number;
      }
      return text;
    }
  }
}

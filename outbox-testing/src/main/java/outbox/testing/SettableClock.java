package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until a test moves it. Thread-safe. */
public final class SettableClock extends Clock {
  private final AtomicReference<Instant> now;
  private final ZoneId zone;

  /** Starts at the present, to the microsecond. */
  public SettableClock() {
    this(Instant.now().truncatedTo(ChronoUnit.MICROS));
  }

  public SettableClock(Instant start) {
    this(new AtomicReference<>(requireNonNull(start, "start")), ZoneOffset.UTC);
  }

  private SettableClock(AtomicReference<Instant> now, ZoneId zone) {
    super();
    this.now = now;
    this.zone = zone;
  }

  /** Sets the time. */
  public void set(Instant instant) {
    now.set(requireNonNull(instant, "instant"));
  }

  /** Moves on by the given time, or back if it is negative. */
  public void advance(Duration by) {
    requireNonNull(by, "by");
    now.updateAndGet(instant -> instant.plus(by));
  }

  @Override
  public Instant instant() {
    return requireNonNull(now.get());
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  /** A view of this clock, which moves with it. */
  @Override
  public SettableClock withZone(ZoneId zone) {
    return new SettableClock(now, requireNonNull(zone, "zone"));
  }
}

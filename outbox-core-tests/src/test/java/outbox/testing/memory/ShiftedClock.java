package outbox.testing.memory;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The system's clock, moved by a time that can be changed. It ticks, as a database's clock does,
 * unless it is stopped.
 */
public final class ShiftedClock extends Clock {
  private volatile Duration shift = Duration.ZERO;
  private volatile @Nullable Instant stopped;

  /** Starts it again if it was stopped. */
  public void advance(Duration by) {
    shift = shift.plus(by);
    stopped = null;
  }

  public void stopAt(Instant instant) {
    stopped = instant;
  }

  @Override
  public Instant instant() {
    Instant instant = stopped;
    return instant == null ? Instant.now().plus(shift).truncatedTo(ChronoUnit.MICROS) : instant;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}

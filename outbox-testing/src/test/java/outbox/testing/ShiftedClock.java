package outbox.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/**
 * The system's clock, moved by a time that can be changed. It ticks, as a database's clock does.
 */
final class ShiftedClock extends Clock {
  private volatile Duration shift = Duration.ZERO;

  void advance(Duration by) {
    shift = shift.plus(by);
  }

  @Override
  public Instant instant() {
    return Instant.now().plus(shift).truncatedTo(ChronoUnit.MICROS);
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

package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class SettableClockTest {

  @Test
  void standsStillUntilItIsMoved() {
    SettableClock clock = new SettableClock(Instant.EPOCH);

    assertThat(clock.instant()).isEqualTo(Instant.EPOCH);
    clock.advance(Duration.ofSeconds(5));
    assertThat(clock.instant()).isEqualTo(Instant.ofEpochSecond(5));
    clock.set(Instant.ofEpochSecond(1));
    assertThat(clock.millis()).isEqualTo(1_000);
  }

  @Test
  void aViewInAnotherZoneMovesWithIt() {
    SettableClock clock = new SettableClock(Instant.EPOCH);
    SettableClock view = clock.withZone(ZoneId.of("Asia/Kathmandu"));

    clock.advance(Duration.ofSeconds(5));

    assertThat(view.instant()).isEqualTo(clock.instant());
    assertThat(view.getZone()).isEqualTo(ZoneId.of("Asia/Kathmandu"));
  }
}

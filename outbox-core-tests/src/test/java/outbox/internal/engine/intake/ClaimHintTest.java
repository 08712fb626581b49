package outbox.internal.engine.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class ClaimHintTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  private final ClaimHint hint = new ClaimHint();

  @Test
  void theFirstScanIsComplete() {
    assertThat(hint.start()).isNull();
    assertThat(hint.isCompleteScanDue()).isTrue();
  }

  @Test
  void theNextClaimStartsHalfASecondBehindTheLastOne() {
    assertThat(hint.isCompleteScanDue()).isTrue();
    hint.moveBehind(NOW);

    assertThat(hint.isCompleteScanDue()).isFalse();
    assertThat(hint.start()).isEqualTo(NOW.minusMillis(500));

    hint.moveBehind(NOW.plusMillis(100));
    assertThat(hint.start()).isEqualTo(NOW.minusMillis(400));
  }

  @Test
  void inADenseBacklogItStartsFiveBatchesBehind() {
    hint.moveBehind(NOW);

    hint.moveBehind(NOW.plusMillis(99));
    assertThat(hint.start()).isEqualTo(NOW.plusMillis(99 - 5 * 99));

    hint.moveBehind(NOW.plusMillis(97));
    assertThat(hint.start()).isEqualTo(NOW.plusMillis(97 - 5 * 2));
  }

  @Test
  void withoutAWatermarkAndAfterAShortBatchTheScanIsComplete() {
    hint.moveBehind(NOW);
    hint.moveBehind(null);
    assertThat(hint.start()).isNull();
    assertThat(hint.isCompleteScanDue()).isTrue();

    hint.moveBehind(NOW);
    hint.clear();
    assertThat(hint.start()).isNull();
    assertThat(hint.isCompleteScanDue()).isTrue();
  }
}

package outbox.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;

class RollingActivityTest {
  private static final Duration WINDOW = Duration.ofSeconds(60);

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final RollingActivity rolling = new RollingActivity(WINDOW, nanos::get);

  @Test
  @Spec({"IDEM-58", "IDEM-86"})
  void forgetsWhatIsOlderThanTheWindow() {
    for (int second = 0; second < 120; second++) {
      rolling.processed(second < 60 ? 10 : 20);
      pass(Duration.ofSeconds(1));
      rolling.activity();
    }
    assertThat(rolling.activity()).isEqualTo(new Activity(WINDOW, 1200, 0));
  }

  @Test
  void aReaderThatComesOnceForEachSampleGetsTheWindowItself() {
    for (int second = 0; second < 121; second++) {
      pass(Duration.ofSeconds(1));
      rolling.activity();
    }
    assertThat(rolling.activity().window()).isEqualTo(WINDOW);
  }

  @Test
  void measuresFromTheStartWhileTheWindowIsNotFull() {
    rolling.processed(3);
    rolling.failed(1);
    pass(Duration.ofSeconds(2));
    assertThat(rolling.activity()).isEqualTo(new Activity(Duration.ofSeconds(2), 3, 1));
  }

  @Test
  void aReaderThatComesRarelyGetsTheTimeSinceItsLastLook() {
    rolling.processed(100);
    pass(Duration.ofHours(1));
    rolling.activity();
    rolling.processed(5);
    pass(Duration.ofHours(1));
    assertThat(rolling.activity()).isEqualTo(new Activity(Duration.ofHours(1), 5, 0));
  }

  @Test
  void aReaderThatComesAllTheTimeCostsNoMemory() {
    for (int look = 0; look < 100_500; look++) {
      pass(Duration.ofMillis(1));
      rolling.processed(1);
      rolling.activity();
    }
    Activity activity = rolling.activity();
    assertThat(activity.window())
        .as("since the last of the samples, one in a second, that is as old as the window")
        .isEqualTo(WINDOW.plusMillis(500));
    assertThat(activity.throughputPerSecond()).isEqualTo(1000);
  }

  @Test
  void refusesAWindowThatIsNone() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RollingActivity(Duration.ZERO))
        .withMessage("window (PT0S) must be positive");
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }
}

package outbox.poller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.testing.Spec;

class IdlePauseTest {
  private final IdlePause pause = new IdlePause(Duration.ofSeconds(5));

  @Test
  @Spec({"OBXU-05", "FRM-64", "OBX-116", "IBX-124", "IBXU-09"})
  void growsFromHalfASecondUpToTheInterval() {
    assertThat(pause.shortest()).isEqualTo(Duration.ofMillis(500));
    assertThat(pause.longer()).isEqualTo(Duration.ofSeconds(1));
    assertThat(pause.longer()).isEqualTo(Duration.ofSeconds(2));
    assertThat(pause.longer()).isEqualTo(Duration.ofSeconds(4));
    assertThat(pause.longer()).isEqualTo(Duration.ofSeconds(5));
    assertThat(pause.longer()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  @Spec({"OBXU-05", "OBX-116", "IBX-124"})
  void isShortAgainAfterAFind() {
    pause.longer();
    pause.longer();

    assertThat(pause.shortest()).isEqualTo(Duration.ofMillis(500));
    assertThat(pause.longer()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  @Spec("FRM-64")
  void neverExceedsAnIntervalBelowHalfASecond() {
    IdlePause hurried = new IdlePause(Duration.ofMillis(10));

    assertThat(hurried.shortest()).isEqualTo(Duration.ofMillis(10));
    assertThat(hurried.longer()).isEqualTo(Duration.ofMillis(10));
  }
}

package outbox.internal.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PauseTest {
  private static final Duration LENGTH = Duration.ofMillis(20);

  @AfterEach
  void clearInterrupt() {
    boolean unused = Thread.interrupted();
  }

  @Test
  void interruptedThreadWaitsAllTheSameAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    long before = System.nanoTime();

    Pause.of(LENGTH);

    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(LENGTH.toNanos());
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }

  @Test
  void otherThreadsAreNotInterruptedByIt() {
    Pause.of(LENGTH);

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}

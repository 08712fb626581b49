package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;

class RetriesTest {
  private static final int RUNS = 2_000;
  private final long seed = System.nanoTime();
  private final SplittableRandom random = new SplittableRandom(seed);

  @Test
  @Spec({"IDEM-28", "IDEM-36", "IDEM-79"})
  void patientDelaysAreTenSecondsTimesTwoToThePowerOfTheFailuresGiveOrTakeAFifth() {
    assertThat(seconds(Retries.patient().jitter(0), 9))
        .containsExactly(20L, 40L, 80L, 160L, 320L, 640L, 1280L, 2560L, 3600L);
    for (int i = 0; i < RUNS; i++) {
      assertThat(delay(Retries.patient(), 3)).isBetween(64_000L, 96_000L);
    }
  }

  @Test
  @Spec({"IDEM-28", "IDEM-35"})
  void fixedDelaysAreTheSameEachTime() {
    assertThat(seconds(Retries.fixed(Duration.ofSeconds(10)), 4))
        .containsExactly(10L, 10L, 10L, 10L);
  }

  @Test
  @Spec({"OBX-055", "OBX-056"})
  void moderateDelaysAreThoseOfTheWorkQueue() {
    assertThat(seconds(Retries.moderate(), 7)).containsExactly(2L, 4L, 8L, 16L, 32L, 60L, 60L);
  }

  @Test
  @Spec({"FRM-72", "FRM-73"})
  void quickDelaysAreThoseOfTheDispatcher() {
    for (int i = 0; i < RUNS; i++) {
      assertThat(delay(Retries.quick(), 1)).isBetween(100L, 300L);
      assertThat(delay(Retries.quick(), 50)).isBetween(30_000L, 90_000L);
    }
  }

  @Test
  @Spec("IDEM-79")
  void exponentialDelaysNeverShrinkNorLeaveTheirBounds() {
    for (int i = 0; i < RUNS; i++) {
      Duration first = Duration.ofMillis(random.nextLong(1, 86_400_000));
      Duration longest = first.plusMillis(random.nextLong(86_400_000));
      Retries retries = Retries.exponential(first, longest);
      int attempts = random.nextInt(1, 100);

      assertThat(delay(retries, attempts))
          .as("seed %s", seed)
          .isBetween(first.toMillis(), longest.toMillis())
          .isLessThanOrEqualTo(delay(retries, attempts + 1));
      assertThat(delay(retries, Integer.MAX_VALUE)).isEqualTo(longest.toMillis());
    }
  }

  @Test
  void jitterStaysWithinItsPartOfAnyDelay() {
    for (int i = 0; i < RUNS; i++) {
      long middle = random.nextLong(1_000, Duration.ofDays(300).toMillis());
      double part = random.nextDouble();
      long delay = delay(Retries.fixed(Duration.ofMillis(middle)).jitter(part), 1);

      assertThat((double) delay)
          .as("seed %s", seed)
          .isBetween(middle * (1 - part) - 1, middle * (1 + part) + 1);
    }
  }

  @Test
  void theNearestClassAndTheOutermostExceptionDecide() {
    Retries retries = Retries.quick().never(IOException.class).always(FileNotFoundException.class);

    assertThat(isRetried(retries, new FileNotFoundException())).isTrue();
    assertThat(isRetried(retries, new IOException(new FileNotFoundException()))).isFalse();
    assertThat(isRetried(retries, new IllegalStateException(new FileNotFoundException()))).isTrue();
    assertThat(retries.ruleFor(new IllegalStateException())).isNull();
  }

  @Test
  void causesThatGoInCirclesEnd() {
    Exception one = new IllegalStateException();
    Exception two = new IllegalStateException(one);
    one.initCause(two);

    assertThat(Retries.quick().never(IOException.class).ruleFor(one)).isNull();
  }

  @Test
  void theConfigurationLimitsOnlyWhatHasNoLimit() {
    assertThat(Retries.quick().limitedTo(7).maxAttempts()).isEqualTo(7);
    assertThat(Retries.quick().maxAttempts(3).limitedTo(7).maxAttempts()).isEqualTo(3);
    assertThat(Retries.quick().maxAge(Duration.ofDays(1)).limitedTo(7).maxAttempts())
        .isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void refusesWhatMakesNoSense() {
    Duration second = Duration.ofSeconds(1);
    Retries retries = Retries.quick().always(IOException.class);

    assertThatThrownBy(() -> Retries.fixed(second.negated()))
        .hasMessage("delay (PT-1S) must not be negative");
    assertThatThrownBy(() -> Retries.fixed(Duration.ofDays(366)))
        .hasMessage("delay (PT8784H) must not exceed PT8760H");
    assertThatThrownBy(() -> Retries.exponential(Duration.ZERO, second))
        .hasMessage("first (PT0S) must be at least PT0.001S");
    assertThatThrownBy(() -> Retries.exponential(second, Duration.ofMillis(1)))
        .hasMessage("longest (PT0.001S) must be at least first (PT1S)");
    assertThatThrownBy(() -> retries.jitter(1.1)).hasMessage("jitter (1.1) must be from 0 to 1");
    assertThatThrownBy(() -> retries.jitter(Double.NaN)).hasMessageContaining("jitter (NaN)");
    assertThatThrownBy(() -> retries.maxAttempts(0))
        .hasMessage("maxAttempts (0) must be at least 1");
    assertThatThrownBy(() -> retries.maxAge(Duration.ZERO))
        .hasMessage("maxAge (PT0S) must be longer than zero");
    assertThatThrownBy(() -> retries.never(IOException.class))
        .hasMessageContaining("java.io.IOException cannot be retried both never and always");
  }

  private static boolean isRetried(Retries retries, Throwable error) {
    return Objects.requireNonNull(retries.ruleFor(error)).retried();
  }

  private static List<Long> seconds(Retries retries, int attempts) {
    return IntStream.rangeClosed(1, attempts).mapToObj(n -> delay(retries, n) / 1000).toList();
  }

  private static long delay(Retries retries, int attempts) {
    return retries.delays().computeDelayMs(attempts);
  }
}

package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LongSummaryStatistics;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.contracts.support.Spec;

class ExponentialBackoffRetryPolicyTest {
  private final RetryPolicy policy = new ExponentialBackoffRetryPolicy(200, 60_000);

  @ParameterizedTest
  @Spec({"FRM-72", "FRM-73", "OBX-055"})
  @CsvSource({
    "0, 200",
    "1, 200",
    "2, 400",
    "3, 800",
    "9, 51200",
    "10, 60000",
    "63, 60000",
    "64, 60000",
    "2147483647, 60000"
  })
  void doublesUpToTheLimitTimesAFactorFromHalfToOneAndAHalf(int attempts, long middle) {
    LongSummaryStatistics delays =
        LongStream.range(0, 10_000).map(i -> policy.computeDelayMs(attempts)).summaryStatistics();

    assertThat(delays.getMin()).isBetween(middle / 2, middle * 6 / 10);
    assertThat(delays.getMax()).isBetween(middle * 14 / 10, middle * 3 / 2);
  }

  @Test
  void refusesDelaysThatMakeNoSense() {
    assertThatThrownBy(() -> new ExponentialBackoffRetryPolicy(0, 1))
        .hasMessage("baseDelayMs (0) must be at least 1");
    assertThatThrownBy(() -> new ExponentialBackoffRetryPolicy(2, 1))
        .hasMessage("maxDelayMs (1) must be at least baseDelayMs (2)");
  }

  @Test
  void neverOverflows() {
    RetryPolicy huge = new ExponentialBackoffRetryPolicy(Long.MAX_VALUE / 4, Long.MAX_VALUE / 2);

    for (int attempts = 1; attempts < 100; attempts++) {
      assertThat(huge.computeDelayMs(attempts)).isPositive();
    }
  }
}

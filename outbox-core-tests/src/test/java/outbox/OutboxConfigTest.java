package outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.dispatch.Retries;
import outbox.spi.MetricsExporter;

class OutboxConfigTest {

  @Test
  @Spec({"FRM-64", "FRM-74", "FRM-75", "FRM-79"})
  void hasTheDefaultsOfTheSpecification() {
    OutboxConfig config = new OutboxConfig();

    assertThat(config.getDispatcherWorkers()).isEqualTo(4);
    assertThat(config.getHotQueueCapacity()).isEqualTo(1000);
    assertThat(config.getColdQueueCapacity()).isEqualTo(1000);
    assertThat(config.isPollerEnabled()).isTrue();
    assertThat(config.getPollerIntervalMs()).isEqualTo(5000);
    assertThat(config.getPollerBatchSize()).isEqualTo(200);
    assertThat(config.getPollerSkipRecentMs()).isEqualTo(1000);
    assertThat(config.getRetryBaseDelayMs()).isEqualTo(200);
    assertThat(config.getRetryMaxDelayMs()).isEqualTo(60000);
    assertThat(config.getRetryMaxAttempts()).isEqualTo(10);
    assertThatCode(config::validate).doesNotThrowAnyException();
  }

  @Test
  @Spec({"IDEM-32", "IDEM-33", "IDEM-34", "IDEM-35", "IDEM-36"})
  void hasTheOptionsOfTheIdempotencySpecificationUnderItsOwnNames() {
    OutboxConfig config =
        new OutboxConfig()
            .setPollerIntervalMs(Duration.ofSeconds(15).toMillis())
            .setPollerBatchSize(50)
            .setRetryMaxAttempts(5)
            .setRetryBaseDelayMs(Duration.ofSeconds(10).toMillis())
            .setRetryMaxDelayMs(Duration.ofSeconds(10).toMillis());

    assertThatCode(config::validate).doesNotThrowAnyException();
    assertThat(config.getPollerIntervalMs()).isEqualTo(15_000);
    assertThat(config.getPollerBatchSize()).isEqualTo(50);
    assertThat(config.getRetryMaxAttempts()).isEqualTo(5);
    assertThat(Retries.fixed(Duration.ofSeconds(10)).delays().computeDelayMs(5)).isEqualTo(10_000);
    assertThat(Retries.patient().jitter(0).delays().computeDelayMs(2)).isEqualTo(40_000);
  }

  @Test
  @Spec("FRM-80")
  void isSetInOneExpression() {
    OutboxConfig config =
        new OutboxConfig()
            .setDispatcherWorkers(8)
            .setHotQueueCapacity(2000)
            .setColdQueueCapacity(3000)
            .setPollerEnabled(false)
            .setPollerIntervalMs(100)
            .setPollerBatchSize(500)
            .setPollerSkipRecentMs(0)
            .setRetryBaseDelayMs(1)
            .setRetryMaxDelayMs(2)
            .setRetryMaxAttempts(3)
            .setUseExponentialBackoff(false)
            .setMaxHandlingTime("Slow", Duration.ofHours(1));

    OutboxConfig copy = config.copy();
    config.setDispatcherWorkers(1).setMaxHandlingTime("Slow", Duration.ofHours(2));

    assertThat(copy.isUseExponentialBackoff()).isFalse();
    assertThat(copy.defaultPollerBatchSize(50).getPollerBatchSize()).isEqualTo(500);
    assertThat(copy.getDispatcherWorkers()).isEqualTo(8);
    assertThat(copy.getHotQueueCapacity()).isEqualTo(2000);
    assertThat(copy.getColdQueueCapacity()).isEqualTo(3000);
    assertThat(copy.isPollerEnabled()).isFalse();
    assertThat(copy.getPollerIntervalMs()).isEqualTo(100);
    assertThat(copy.getPollerBatchSize()).isEqualTo(500);
    assertThat(copy.getPollerSkipRecentMs()).isZero();
    assertThat(copy.getRetryBaseDelayMs()).isEqualTo(1);
    assertThat(copy.getRetryMaxDelayMs()).isEqualTo(2);
    assertThat(copy.getRetryMaxAttempts()).isEqualTo(3);
    assertThat(copy.getMaxHandlingTime("Slow")).isEqualTo(Duration.ofHours(1));
    assertThat(copy.getMaxHandlingTime("Other")).isEqualTo(copy.getMaxHandlingTime());
  }

  @Test
  void aCopyHasEverySetting() {
    OutboxConfig config =
        new OutboxConfig()
            .setHotQueueBytes(1)
            .setColdQueueBytes(2)
            .setVirtualThreads(true)
            .setLeaseDuration(Duration.ofSeconds(3))
            .setFlushInterval(Duration.ofMillis(4))
            .setFlushBatchSize(5)
            .setMaxHandlingTime(Duration.ofSeconds(6))
            .setMaxLeaseExpiries(7)
            .setDrainTimeout(Duration.ofSeconds(8))
            .setNetworkTimeout(Duration.ofSeconds(9))
            .setUnhandledDelay(Duration.ofSeconds(11))
            .setUnhandledMaxAge(Duration.ofSeconds(12));

    assertThat(config.copy()).usingRecursiveComparison().isEqualTo(config);
    assertThat(config.copy()).usingRecursiveComparison().isNotEqualTo(new OutboxConfig());
  }

  @Test
  @Spec("FRM-75")
  void refusesValuesThatMakeNoSense() {
    refuses(c -> c.setDispatcherWorkers(0), "dispatcherWorkers (0) must be at least 1");
    refuses(c -> c.setHotQueueCapacity(-1), "hotQueueCapacity (-1) must be at least 1");
    refuses(c -> c.setColdQueueCapacity(0), "coldQueueCapacity (0) must be at least 1");
    refuses(c -> c.setPollerSkipRecentMs(-1), "pollerSkipRecentMs (-1) must be at least 0");
    refuses(
        c -> c.setLeaseDuration(Duration.ZERO), "leaseDuration (PT0S) must be longer than zero");
    refuses(c -> c.setDrainTimeout(Duration.ofSeconds(-1)), "drainTimeout (PT-1S) must not be");
    refuses(
        c -> c.setMaxHandlingTime(ChronoUnit.FOREVER.getDuration()), "must not exceed PT87600H");
    refuses(c -> c.setFlushBatchSize(10_001), "flushBatchSize (10001) must not exceed 10000");
  }

  @Test
  void aRefusalNamesTheSetting() {
    assertThatThrownBy(() -> new OutboxConfig().setFlushBatchSize(0))
        .isInstanceOfSatisfying(
            InvalidSettingException.class,
            refused -> assertThat(refused.settings()).containsExactly("flushBatchSize"));
  }

  @Test
  void refusesSettingsThatContradictEachOther() {
    assertThatThrownBy(
            new OutboxConfig()
                    .setLeaseDuration(Duration.ofMillis(20))
                    .setFlushInterval(Duration.ofMillis(10))
                ::validate)
        .isInstanceOfSatisfying(
            ConflictingSettingsException.class,
            refused ->
                assertThat(refused.settings()).containsExactly("leaseDuration", "flushInterval"))
        .hasMessage(
            "leaseDuration (PT0.02S) must be longer than twice flushInterval (PT0.01S);"
                + " raise leaseDuration or lower flushInterval");
    assertThatThrownBy(new OutboxConfig().setRetryMaxDelayMs(199)::validate)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("retryMaxDelayMs (199) must be at least retryBaseDelayMs (200)");
  }

  @Test
  @Spec("FRM-81")
  void metricsWithoutAnExporterGoNowhere() {
    MetricsExporter metrics = MetricsExporter.NOOP;

    assertThatCode(
            () -> {
              metrics.incrementHotEnqueued();
              metrics.incrementHotDropped();
              metrics.incrementColdEnqueued();
              metrics.incrementDispatchSuccess();
              metrics.incrementDispatchFailure();
              metrics.incrementDispatchDead();
              metrics.incrementLeaseLost();
              metrics.recordQueueDepths(1, 2);
              metrics.recordOldestLagMs(3);
            })
        .doesNotThrowAnyException();
  }

  private static void refuses(Consumer<OutboxConfig> setting, String message) {
    assertThatThrownBy(() -> setting.accept(new OutboxConfig()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}

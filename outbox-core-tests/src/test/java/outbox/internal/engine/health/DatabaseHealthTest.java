package outbox.internal.engine.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.CountingMetrics;
import outbox.spi.ConnectionsBusyException;
import outbox.spi.StoreException;

class DatabaseHealthTest {
  private final StoreException down =
      new StoreException("down", new SQLException("connection refused"));
  private final StoreException busy =
      new StoreException("busy", new ConnectionsBusyException("all in use"));

  private final CountingMetrics metrics = new CountingMetrics();
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);
  private final DatabaseHealth health = new DatabaseHealth("", metrics, nanos::get);

  @Test
  void eachOperationPausesTwiceAsLongAfterEachFailureUpToASecond() {
    assertThat(pauses(health, 7)).containsExactly(50L, 100L, 200L, 400L, 800L, 1000L, 1000L);
    assertThat(health.failed("completion", down)).isEqualTo(Duration.ofMillis(50));

    health.succeeded("claim");

    assertThat(health.failed("claim", down)).isEqualTo(Duration.ofMillis(50));
  }

  @Test
  void amongManyDatabasesItPausesForFiveSecondsAtTheMost() {
    assertThat(pauses(new DatabaseHealth("one", metrics), 40))
        .containsSequence(3200L, 5000L, 5000L)
        .endsWith(5000L);
  }

  private List<Long> pauses(DatabaseHealth health, int failures) {
    return Stream.generate(() -> health.failed("claim", down).toMillis()).limit(failures).toList();
  }

  @Test
  void onlyItsOwnSuccessEndsTheTroubleOfAnOperation() {
    AtomicInteger recoveries = new AtomicInteger();
    health.onRecovery(recoveries::incrementAndGet);
    health.failed("claim", down);
    health.failed("completion", down);

    health.succeeded("renewal");
    assertThat(health.isDown()).isTrue();
    assertThat(recoveries).hasValue(0);

    health.succeeded("completion");
    assertThat(health.isDown()).isTrue();
    assertThat(recoveries).hasValue(1);

    health.succeeded("claim");
    assertThat(health.isDown()).isFalse();
    assertThat(recoveries).hasValue(2);

    health.succeeded("claim");
    assertThat(recoveries).hasValue(2);
  }

  @Test
  void isReportedOnceAndWhatFailsInTheNextFiveSecondsIsPartOfIt() {
    health.failed("claim", down);
    health.failed("completion", down);
    assertThat(metrics.isDown("")).isTrue();
    health.succeeded("claim");
    health.succeeded("completion");
    assertThat(metrics.isDown("")).isFalse();

    advance(Duration.ofSeconds(5).minusNanos(1));
    health.failed("claim", down);
    assertThat(health.isDown()).isTrue();
    assertThat(metrics.isDown("")).isFalse();
    assertThat(metrics.outages("")).isEqualTo(1);

    advance(Duration.ofNanos(1));
    health.failed("claim", down);
    assertThat(metrics.isDown("")).isTrue();
    assertThat(metrics.outages("")).isEqualTo(2);
  }

  @Test
  void isFreshForASecondFromItsFirstFailure() {
    assertThat(health.isFresh()).isFalse();
    health.failed("claim", down);
    advance(Duration.ofSeconds(1).minusNanos(1));
    health.failed("claim", down);
    assertThat(health.isFresh()).isTrue();

    advance(Duration.ofNanos(1));

    assertThat(health.isFresh()).isFalse();
    assertThat(health.isDown()).isTrue();
  }

  @Test
  void operationThatIsNotTriedAnyMoreIsForgottenAfterFifteenSeconds() {
    health.failed("claim", down);
    advance(Duration.ofSeconds(15));
    health.succeeded("completion");
    assertThat(health.isDown()).isTrue();

    advance(Duration.ofNanos(1));
    health.succeeded("completion");

    assertThat(health.isDown()).isFalse();
  }

  @Test
  void lackOfAFreeConnectionIsNoOutageAndTriedAgainSoon() {
    assertThat(health.failed("claim", busy)).isEqualTo(Duration.ofMillis(50));
    assertThat(health.failed("claim", busy)).isEqualTo(Duration.ofMillis(50));

    assertThat(health.isDown()).isFalse();
    assertThat(metrics.outages("")).isZero();
  }

  @Test
  void whatFailsBecauseOfTheShutdownIsNotNoted() {
    health.close();

    assertThat(health.failed("claim", down)).isEqualTo(Duration.ofMillis(50));
    assertThat(health.isDown()).isFalse();
    assertThat(metrics.outages("")).isZero();
  }

  @Test
  void storeThatIsServedNoMoreIsNotDownAndItsNextOutageIsNew() {
    health.failed("claim", down);

    health.forget();

    assertThat(health.isDown()).isFalse();
    assertThat(metrics.isDown("")).isFalse();
    assertThat(health.failed("claim", down)).isEqualTo(Duration.ofMillis(50));
    assertThat(metrics.outages("")).isEqualTo(2);
  }

  private void advance(Duration by) {
    nanos.addAndGet(by.toNanos());
  }
}

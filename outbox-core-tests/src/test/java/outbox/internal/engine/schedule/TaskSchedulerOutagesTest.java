package outbox.internal.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.support.CountingMetrics;
import outbox.internal.engine.ServedStore;
import outbox.internal.engine.health.DatabaseHealth;
import outbox.internal.engine.schedule.StoreTask.Kind;
import outbox.spi.ConnectionsBusyException;
import outbox.spi.StoreException;

/** Databases that fail, and those beside them. */
@Timeout(60)
class TaskSchedulerOutagesTest extends ScheduledStores {

  @Test
  void fewConnectionsEverProbeDatabasesThatFail() throws Exception {
    List<ServedStore> failing = stores(10);
    failing.forEach(TaskSchedulerTest::fail);
    ServedStore well = served("well");

    failing.forEach(store -> scheduler.request(store.poller().claimTask()));
    scheduler.request(well.poller().claimTask());

    List<StoreTask> taken = new ArrayList<>();
    for (int i = 0; i < PROBES + 1; i++) {
      taken.add(take());
    }
    assertThat(taken).filteredOn(StoreTask::isProbe).hasSize(PROBES);
    assertThat(taken).contains(well.poller().claimTask());

    scheduler.done(taken.stream().filter(StoreTask::isProbe).findFirst().orElseThrow(), null);
    assertThat(take().isProbe()).isTrue();
  }

  @Test
  void databaseThatFailsIsProbedByOneDutyAtATime() throws Exception {
    ServedStore down = served("down");
    fail(down);
    StoreTask flush = task(down, Kind.FLUSH);
    scheduler.request(flush);
    scheduler.request(down.poller().claimTask());
    ServedStore well = served("well");
    scheduler.request(well.poller().claimTask());

    assertThat(take()).isSameAs(flush);
    assertThat(take()).isSameAs(well.poller().claimTask());
    scheduler.done(flush, null);
    assertThat(take()).isSameAs(down.poller().claimTask());
  }

  @Test
  void databaseThatIsBackWaitsNoLongerBehindThoseThatFail() throws Exception {
    List<ServedStore> dark = stores(PROBES);
    dark.forEach(TaskSchedulerTest::fail);
    dark.forEach(store -> scheduler.request(store.poller().claimTask()));
    for (int i = 0; i < PROBES; i++) {
      assertThat(take().isProbe()).isTrue();
    }
    ServedStore back = served("back");
    fail(back);
    StoreTask flush = task(back, Kind.FLUSH);
    scheduler.request(back.poller().claimTask());
    scheduler.request(flush);

    back.runtime().health().succeeded("test");

    assertThat(List.of(take(), take()))
        .as("its outcomes and its claim")
        .containsExactly(flush, back.poller().claimTask());
  }

  @Test
  void databaseThatHasOnlyJustFailedIsTriedBeforeThoseThatFailForLong() throws Exception {
    ServedStore dead = served("dead");
    fail(dead);
    await().atMost(Duration.ofSeconds(30)).until(() -> !dead.runtime().health().isFresh());
    ServedStore fresh = served("fresh");
    fail(fresh);

    scheduler.request(dead.poller().claimTask());
    scheduler.request(fresh.poller().claimTask());

    assertThat(take()).isSameAs(fresh.poller().claimTask());
  }

  @Test
  void anySuccessEndsTheTroubleOfWhatIsNotRepeated() {
    DatabaseHealth health = served("one").runtime().health();
    health.missed("lease check", new StoreException("down", new SQLException("refused")));
    assertThat(health.isDown()).isTrue();

    health.succeeded("completion");

    assertThat(health.isDown()).isFalse();
  }

  @Test
  void lackOfAFreeConnectionIsNoOutage() {
    DatabaseHealth health = served("one").runtime().health();

    health.failed("claim", new StoreException("busy", new ConnectionsBusyException("all in use")));

    assertThat(health.isDown()).isFalse();
  }

  @Test
  void storeThatLeavesWhileItIsDownIsReportedNoLonger() {
    CountingMetrics metrics = new CountingMetrics();
    DatabaseHealth health = new DatabaseHealth("leaving", metrics);
    health.failed("claim", new StoreException("down", new SQLException("refused")));
    assertThat(metrics.isDown("leaving")).isTrue();

    health.forget();

    assertThat(metrics.isDown("leaving")).isFalse();
  }
}

package outbox.internal.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.internal.engine.ServedStore;
import outbox.internal.engine.schedule.StoreTask.Kind;
import outbox.spi.StoreException;

/** When databases are looked into without a request. */
@Timeout(60)
class TaskSchedulerLooksTest extends ScheduledStores {

  @Test
  void looksRunOneAtATimeAndOnlyWhileNothingElseRuns() throws Exception {
    List<ServedStore> idle = stores(3);
    idle.forEach(store -> scheduler.postpone(store.poller().lookTask(), Duration.ZERO));
    StoreTask first = take();
    assertThat(first.isLook()).isTrue();

    ServedStore woken = served("woken");
    scheduler.requestAt(
        woken.poller().claimTask(), System.nanoTime() + Duration.ofMillis(20).toNanos());
    assertThat(take()).as("while a look runs").isSameAs(woken.poller().claimTask());
    scheduler.done(first, null);
    StoreTask flush = task(woken, Kind.FLUSH);
    scheduler.requestAt(flush, System.nanoTime() + Duration.ofMillis(20).toNanos());
    assertThat(take()).as("while a claim runs").isSameAs(flush);

    scheduler.done(woken.poller().claimTask(), null);
    scheduler.done(flush, null);
    assertThat(take().isLook()).isTrue();
  }

  @Test
  void looksThatAreLateRunBesideOthersUpToALimit() throws Exception {
    List<ServedStore> idle = stores(PERMITS);
    ServedStore busy = served("busy");
    scheduler.request(busy.poller().claimTask());
    assertThat(take()).isSameAs(busy.poller().claimTask());
    idle.forEach(store -> scheduler.postpone(store.poller().lookTask(), Duration.ZERO));
    idle.forEach(store -> store.poller().lookTask().lateAt -= LOOK_PERIOD.toNanos());

    for (int i = 0; i < LOOKS; i++) {
      assertThat(take().isLook()).isTrue();
    }
    StoreTask flush = task(busy, Kind.FLUSH);
    scheduler.requestAt(flush, System.nanoTime() + Duration.ofMillis(600).toNanos());
    assertThat(take()).as("no more looks").isSameAs(flush);
  }

  @Test
  void claimsWithoutEndDoNotKeepLateLooksAway() throws Exception {
    List<ServedStore> busy = stores(PERMITS);
    ServedStore idle = served("idle");
    busy.forEach(store -> scheduler.request(store.poller().claimTask()));
    scheduler.postpone(idle.poller().lookTask(), Duration.ZERO);
    idle.poller().lookTask().lateAt -= LOOK_PERIOD.toNanos();

    List<StoreTask> taken = new ArrayList<>();
    for (int turn = 0; turn < 3; turn++) {
      StoreTask task = take();
      taken.add(task);
      scheduler.done(task, Duration.ZERO);
    }

    assertThat(taken).contains(idle.poller().lookTask());
  }

  @Test
  void claimEndsTheTroubleOfLooks() throws Exception {
    ServedStore one = served("one");
    StoreException error = new StoreException("down", new SQLException("connection refused"));
    one.runtime().health().failed("look", error);
    one.runtime().health().failed("look", error);
    assertThat(one.runtime().health().isDown()).isTrue();

    one.poller().claimTask().perform();

    assertThat(one.runtime().health().isDown()).isFalse();
  }

  @Test
  void claimCountsAsALook() throws Exception {
    ServedStore one = served("one");
    ServedStore other = served("other");
    scheduler.postpone(one.poller().lookTask(), Duration.ofMillis(1));
    scheduler.postpone(other.poller().lookTask(), Duration.ofMillis(20));

    scheduler.postpone(one.poller().lookTask(), Duration.ofHours(1));

    assertThat(take()).isSameAs(other.poller().lookTask());
    scheduler.done(other.poller().lookTask(), Duration.ofMillis(20));
    assertThat(take()).isSameAs(other.poller().lookTask());
  }

  @Test
  void lookThatAClaimOvertakesIsNotForgotten() throws Exception {
    ServedStore one = served("one");
    scheduler.postpone(one.poller().lookTask(), Duration.ZERO);
    StoreTask look = take();

    scheduler.postpone(look, Duration.ofMillis(1));
    scheduler.done(look, null);

    assertThat(take()).isSameAs(look);
  }

  @Test
  void wakeIsServedWhileALookIntoTheSameDatabaseIsUnderWay() throws Exception {
    ServedStore one = served("one");
    scheduler.postpone(one.poller().lookTask(), Duration.ZERO);
    assertThat(take()).isSameAs(one.poller().lookTask());

    fillHotLane();
    one.outbox().enqueue("Any", "{}");

    assertThat(take()).isSameAs(one.poller().claimTask());
  }

  @Test
  void lookThatFindsSomethingAsksForAClaim() throws Exception {
    ServedStore one = served("one");
    scheduler.postpone(one.poller().lookTask(), Duration.ZERO);
    StoreTask look = take();
    assertThat(look.perform()).as("found nothing").isPositive();

    try (Connection connection = one.store().claimConnections().getConnection()) {
      one.store().events().insertNew(connection, EventEnvelope.ofJson("Any", "{}"));
    }
    assertThat(look.perform()).isNull();

    assertThat(take()).isSameAs(one.poller().claimTask());
  }
}

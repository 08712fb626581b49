package outbox.internal.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.Spec;
import outbox.internal.engine.ServedStore;
import outbox.internal.engine.Shutdown;
import outbox.internal.engine.StoreRuntime;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.intake.OldestLag;
import outbox.internal.engine.schedule.StoreTask.Kind;
import outbox.internal.util.Deadline;
import outbox.testing.memory.InMemoryEventStore;

@Timeout(60)
class TaskSchedulerTest extends ScheduledStores {

  @Test
  void outcomesAndRenewalsGoBeforeClaims() throws Exception {
    ServedStore one = served("one");
    StoreTask flush = task(one, Kind.FLUSH);
    StoreTask renew = task(one, Kind.RENEW);

    scheduler.request(one.poller().claimTask());
    scheduler.request(flush);
    scheduler.request(renew);

    assertThat(List.of(take(), take(), take()))
        .containsExactly(flush, renew, one.poller().claimTask());
  }

  @Test
  void claimsLeaveSomeOfTheConnectionsToUpkeep() throws Exception {
    List<ServedStore> many = stores(PERMITS);
    many.forEach(store -> scheduler.request(store.poller().claimTask()));
    for (int i = 0; i < PERMITS - PERMITS / 4; i++) {
      assertThat(take().isClaim()).isTrue();
    }

    StoreTask flush = task(many.get(0), Kind.FLUSH);
    scheduler.request(flush);

    assertThat(take()).isSameAs(flush);
  }

  @Test
  void claimsRunningTogetherBringNoMoreThanTheColdLaneHasRoomFor() throws Exception {
    for (int i = 0; i < 50; i++) {
      workers.lanes().offerCold(delivery());
    }
    List<ServedStore> many = stores(PERMITS);
    many.forEach(store -> scheduler.request(store.poller().claimTask()));
    int reserved = 0;
    for (int i = 0; i < 7; i++) {
      reserved += take().share.events();
    }
    assertThat(reserved).isEqualTo(70);

    StoreTask flush = task(many.get(0), Kind.FLUSH);
    scheduler.request(flush);
    assertThat(take()).as("no room for another claim").isSameAs(flush);
  }

  @Test
  @Spec("OBX-116")
  void enqueueMakesItsDatabaseDueAtOnce() throws Exception {
    ServedStore idle = served("idle");
    scheduler.request(idle.poller().claimTask());
    scheduler.done(take(), null);

    assertThat(idle.poller().claimTask().queued || idle.poller().claimTask().alarmed).isFalse();
    fillHotLane();
    idle.outbox().enqueue("Any", "{}");

    assertThat(idle.poller().claimTask().queued || idle.poller().claimTask().alarmed).isTrue();
    assertThat(take()).as("due by the enqueue alone").isSameAs(idle.poller().claimTask());
  }

  @Test
  void eachMessageEnqueuedForLaterMakesItsDatabaseDueAtItsTime() throws Exception {
    ServedStore idle = served("idle");
    Instant now = Instant.now();
    idle.outbox().enqueue("Any", "{}", facts -> facts.dueAt(now.plusSeconds(3600)));
    assertThat(idle.poller().claimTask().alarmed).isTrue();
    idle.outbox().enqueue("Any", "{}", facts -> facts.dueAt(now.plusMillis(100)));

    StoreTask due = take();
    assertThat(due).isSameAs(idle.poller().claimTask());
    scheduler.done(due, due.perform());

    assertThat(idle.poller().claimTask().queued || idle.poller().claimTask().alarmed)
        .as("the time of the other message is kept")
        .isTrue();
  }

  @Test
  void aDatabaseWhoseClockIsAheadIsClaimedFromAtItsOwnTime() throws Exception {
    Duration hour = Duration.ofHours(1);
    Clock clock = Clock.offset(Clock.systemUTC(), hour);
    ServedStore ahead = served("ahead", new InMemoryEventStore(clock));
    scheduler.request(ahead.poller().claimTask());
    StoreTask first = take();
    scheduler.done(first, first.perform());

    ahead
        .outbox()
        .enqueue("Any", "{}", facts -> facts.dueAt(Instant.now().plus(hour).plusMillis(100)));

    assertThat(take()).isSameAs(ahead.poller().claimTask());
  }

  @Test
  void whatIsDeferredIsClaimedAtItsTimeUnlessItIsLeftToOtherNodes() {
    ServedStore store = served("one");
    Duration delay = Duration.ofHours(1);

    store.runtime().completer().stored(written(), new Outcome.Defer(delay, true), "me");
    assertThat(store.poller().claimTask().alarmed).as("left to others").isFalse();

    store.runtime().completer().stored(written(), new Outcome.Defer(delay), "me");
    assertThat(store.poller().claimTask().alarmed).isTrue();
  }

  private static Delivery written() {
    Delivery delivery = delivery();
    delivery.begin();
    delivery.outcomeWritten();
    return delivery;
  }

  @Test
  void databaseWithNothingInFlightIsNotAskedForRenewals() throws Exception {
    served("idle").runtime().watch();
    StoreTask other = task(served("other"), Kind.FLUSH);
    scheduler.request(other);

    assertThat(take()).isSameAs(other);
  }

  @Test
  void busyStationLeavesRoomInTheColdLaneToOthers() throws Exception {
    ServedStore busy = served("busy");
    ServedStore quiet = served("quiet");
    for (int i = 0; i < 55; i++) {
      workers.lanes().offerCold(delivery(busy.runtime()));
    }

    scheduler.request(busy.poller().claimTask());
    scheduler.request(quiet.poller().claimTask());

    assertThat(take()).as("the other has its share").isSameAs(quiet.poller().claimTask());
    workers.lanes().onColdRoom(scheduler::look);
    for (int i = 0; i < 30; i++) {
      assertThat(workers.lanes().take()).isNotNull();
    }
    assertThat(take()).isSameAs(busy.poller().claimTask());
  }

  @Test
  void claimsRunningTogetherShareTheBytesOfTheColdLane() throws Exception {
    List<ServedStore> many = stores(PERMITS);
    many.forEach(store -> scheduler.request(store.poller().claimTask()));
    long reserved = 0;
    for (int i = 0; i < 12; i++) {
      reserved += take().share.bytes();
    }

    assertThat(reserved).isLessThanOrEqualTo(config.getColdQueueBytes());
  }

  @Test
  void retirementWaitsForAClaimUnderWayAndGivesBackWhatItBrought() throws Exception {
    config.setDrainTimeout(Duration.ofMillis(20));
    StoreRuntime leaving = served("leaving").runtime();
    Thread retirement = new Thread(Shutdown.of(leaving, workers)::run);
    boolean taken =
        leaving
            .claims()
            .pass(
                () -> {
                  retirement.start();
                  await()
                      .atMost(Duration.ofSeconds(30))
                      .until(() -> retirement.getState() == Thread.State.TIMED_WAITING);
                  return leaving.context().admission().acceptCold(delivery(leaving));
                },
                true);

    StoreTask flush = take();
    scheduler.done(flush, flush.perform());
    retirement.join();

    assertThat(taken).isFalse();
    assertThat(workers.lanes().coldDepth()).as("events of a store that is closed").isZero();
    assertThat(leaving.inFlight().size()).isZero();
  }

  @Test
  void lagIsThatOfTheStoreWithTheEldest() {
    CountingMetrics metrics = new CountingMetrics();
    OldestLag lag = new OldestLag(metrics);
    lag.record(served("busy").runtime(), 5000);

    lag.record(served("idle").runtime(), 0);

    assertThat(metrics.oldestLagMs()).isEqualTo(5000);
  }

  @Test
  void dutyThatIsAskedForWhileItRunsRunsOnceMore() throws Exception {
    StoreTask flush = task(served("one"), Kind.FLUSH);
    scheduler.request(flush);
    scheduler.request(flush);
    assertThat(take()).isSameAs(flush);

    scheduler.request(flush);
    scheduler.request(flush);
    scheduler.done(flush, null);

    assertThat(take()).isSameAs(flush);
    scheduler.done(flush, null);
    StoreTask other = task(served("two"), Kind.FLUSH);
    scheduler.request(other);
    assertThat(take()).isSameAs(other);
  }

  @Test
  void dutyIsDueAgainAfterItsPauseAndEarlierIfAskedFor() throws Exception {
    StoreTask soon = task(served("one"), Kind.FLUSH);
    StoreTask late = task(served("two"), Kind.FLUSH);
    scheduler.request(late);
    scheduler.done(take(), Duration.ofHours(1));
    scheduler.request(soon);
    scheduler.done(take(), Duration.ofMillis(20));

    assertThat(take()).isSameAs(soon);
    scheduler.request(late);
    assertThat(take()).isSameAs(late);
  }

  @Test
  void removedDutyIsNeitherWaitedForNorRunAgain() throws Exception {
    ServedStore gone = served("gone");
    ServedStore stays = served("stays");
    scheduler.request(gone.poller().claimTask());
    assertThat(take()).isSameAs(gone.poller().claimTask());
    List<String> events = new CopyOnWriteArrayList<>();
    Thread remover =
        new Thread(
            () -> {
              try {
                List<StoreTask> tasks = List.of(gone.poller().claimTask());
                scheduler.remove(tasks);
                scheduler.awaitEnd(tasks, Deadline.in(Duration.ofMinutes(1)));
                events.add("removed");
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    remover.start();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> remover.getState() == Thread.State.TIMED_WAITING);
    assertThat(events).isEmpty();

    scheduler.done(gone.poller().claimTask(), Duration.ZERO);
    remover.join();
    assertThat(events).containsExactly("removed");

    scheduler.request(gone.poller().claimTask());
    scheduler.request(stays.poller().claimTask());
    assertThat(take()).isSameAs(stays.poller().claimTask());
  }
}

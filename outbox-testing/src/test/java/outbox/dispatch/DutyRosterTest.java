package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.dispatch.Duty.Kind;
import outbox.testing.CountingMetrics;
import outbox.testing.InMemoryEventStore;
import outbox.testing.Spec;

@Timeout(60)
class DutyRosterTest extends RosterOfStores {

  @Test
  void outcomesAndRenewalsGoBeforeClaims() throws Exception {
    Berth one = berth("one");
    Duty flush = duty(one, Kind.FLUSH);
    Duty renew = duty(one, Kind.RENEW);

    roster.request(one.claim());
    roster.request(flush);
    roster.request(renew);

    assertThat(List.of(take(), take(), take())).containsExactly(flush, renew, one.claim());
  }

  @Test
  void claimsLeaveSomeOfTheConnectionsToUpkeep() throws Exception {
    List<Berth> many = berths(PERMITS);
    many.forEach(berth -> roster.request(berth.claim()));
    for (int i = 0; i < PERMITS - PERMITS / 4; i++) {
      assertThat(take().isClaim()).isTrue();
    }

    Duty flush = duty(many.get(0), Kind.FLUSH);
    roster.request(flush);

    assertThat(take()).isSameAs(flush);
  }

  @Test
  void claimsRunningTogetherBringNoMoreThanTheColdLaneHasRoomFor() throws Exception {
    for (int i = 0; i < 50; i++) {
      crew.lanes().offerCold(delivery());
    }
    List<Berth> many = berths(PERMITS);
    many.forEach(berth -> roster.request(berth.claim()));
    int reserved = 0;
    for (int i = 0; i < 7; i++) {
      reserved += take().share.events();
    }
    assertThat(reserved).isEqualTo(70);

    Duty flush = duty(many.get(0), Kind.FLUSH);
    roster.request(flush);
    assertThat(take()).as("no room for another claim").isSameAs(flush);
  }

  @Test
  @Spec("OBX-116")
  void enqueueMakesItsDatabaseDueAtOnce() throws Exception {
    Berth idle = berth("idle");
    roster.request(idle.claim());
    roster.done(take(), null);

    assertThat(idle.claim().queued || idle.claim().alarmed).isFalse();
    idle.outbox().enqueue("Any", "{}");

    assertThat(idle.claim().queued || idle.claim().alarmed).isTrue();
    assertThat(take()).as("due by the enqueue alone").isSameAs(idle.claim());
  }

  @Test
  void eachMessageEnqueuedForLaterMakesItsDatabaseDueAtItsTime() throws Exception {
    Berth idle = berth("idle");
    Instant now = Instant.now();
    idle.outbox().enqueue("Any", "{}", null, now.plusSeconds(3600));
    assertThat(idle.claim().alarmed).isTrue();
    idle.outbox().enqueue("Any", "{}", null, now.plusMillis(100));

    Duty due = take();
    assertThat(due).isSameAs(idle.claim());
    roster.done(due, due.perform());

    assertThat(idle.claim().queued || idle.claim().alarmed)
        .as("the time of the other message is kept")
        .isTrue();
  }

  @Test
  void aDatabaseWhoseClockIsAheadIsClaimedFromAtItsOwnTime() throws Exception {
    Duration hour = Duration.ofHours(1);
    Clock clock = Clock.offset(Clock.systemUTC(), hour);
    Berth ahead = berth("ahead", new InMemoryEventStore(clock));
    roster.request(ahead.claim());
    Duty first = take();
    roster.done(first, first.perform());

    ahead.outbox().enqueue("Any", "{}", null, Instant.now().plus(hour).plusMillis(100));

    assertThat(take()).isSameAs(ahead.claim());
  }

  @Test
  void whatIsDeferredIsClaimedAtItsTimeUnlessItIsLeftToOtherNodes() {
    Berth berth = berth("one");
    Duration delay = Duration.ofHours(1);

    berth.station().completer().stored(delivery(), new Outcome.Defer(delay, true), "me");
    assertThat(berth.claim().alarmed).as("left to others").isFalse();

    berth.station().completer().stored(delivery(), new Outcome.Defer(delay), "me");
    assertThat(berth.claim().alarmed).isTrue();
  }

  @Test
  void databaseWithNothingInFlightIsNotAskedForRenewals() throws Exception {
    berth("idle").watch();
    Duty other = duty(berth("other"), Kind.FLUSH);
    roster.request(other);

    assertThat(take()).isSameAs(other);
  }

  @Test
  void busyStationLeavesRoomInTheColdLaneToOthers() throws Exception {
    Berth busy = berth("busy");
    Berth quiet = berth("quiet");
    for (int i = 0; i < 55; i++) {
      crew.lanes().offerCold(delivery().at(busy.station()));
    }

    roster.request(busy.claim());
    roster.request(quiet.claim());

    assertThat(take()).as("the other has its share").isSameAs(quiet.claim());
    crew.lanes().onColdRoom(roster::look);
    for (int i = 0; i < 30; i++) {
      assertThat(crew.lanes().take()).isNotNull();
    }
    assertThat(take()).isSameAs(busy.claim());
  }

  @Test
  void claimsRunningTogetherShareTheBytesOfTheColdLane() throws Exception {
    List<Berth> many = berths(PERMITS);
    many.forEach(berth -> roster.request(berth.claim()));
    long reserved = 0;
    for (int i = 0; i < 12; i++) {
      reserved += take().share.bytes();
    }

    assertThat(reserved).isLessThanOrEqualTo(config.getColdQueueBytes());
  }

  @Test
  void retirementWaitsForAClaimUnderWayAndGivesBackWhatItBrought() throws Exception {
    config.setDrainTimeout(Duration.ofMillis(20));
    Berth leaving = berth("leaving");
    roster.request(leaving.claim());
    assertThat(take()).isSameAs(leaving.claim());
    Thread retirement = new Thread(new Retirement(crew, leaving));
    retirement.start();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> retirement.getState() == Thread.State.WAITING);

    leaving.station().accept(delivery(), false);
    roster.done(leaving.claim(), Duration.ZERO);
    Duty flush = take();
    roster.done(flush, flush.perform());
    retirement.join();

    assertThat(crew.lanes().coldDepth()).as("events of a store that is closed").isZero();
    assertThat(leaving.station().inFlight().size()).isZero();
  }

  @Test
  void lagIsThatOfTheStoreWithTheEldest() {
    CountingMetrics metrics = new CountingMetrics();
    OldestLag lag = new OldestLag(metrics);
    lag.record(berth("busy").station(), 5000);

    lag.record(berth("idle").station(), 0);

    assertThat(metrics.oldestLagMs()).isEqualTo(5000);
  }

  @Test
  void dutyThatIsAskedForWhileItRunsRunsOnceMore() throws Exception {
    Duty flush = duty(berth("one"), Kind.FLUSH);
    roster.request(flush);
    roster.request(flush);
    assertThat(take()).isSameAs(flush);

    roster.request(flush);
    roster.request(flush);
    roster.done(flush, null);

    assertThat(take()).isSameAs(flush);
    roster.done(flush, null);
    Duty other = duty(berth("two"), Kind.FLUSH);
    roster.request(other);
    assertThat(take()).isSameAs(other);
  }

  @Test
  void dutyIsDueAgainAfterItsPauseAndEarlierIfAskedFor() throws Exception {
    Duty soon = duty(berth("one"), Kind.FLUSH);
    Duty late = duty(berth("two"), Kind.FLUSH);
    roster.request(late);
    roster.done(take(), Duration.ofHours(1));
    roster.request(soon);
    roster.done(take(), Duration.ofMillis(20));

    assertThat(take()).isSameAs(soon);
    roster.request(late);
    assertThat(take()).isSameAs(late);
  }

  @Test
  void removedDutyIsNeitherWaitedForNorRunAgain() throws Exception {
    Berth gone = berth("gone");
    Berth stays = berth("stays");
    roster.request(gone.claim());
    assertThat(take()).isSameAs(gone.claim());
    List<String> events = new CopyOnWriteArrayList<>();
    Thread remover =
        new Thread(
            () -> {
              try {
                roster.remove(List.of(gone.claim()));
                events.add("removed");
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    remover.start();
    await().atMost(Duration.ofSeconds(30)).until(() -> remover.getState() == Thread.State.WAITING);
    assertThat(events).isEmpty();

    roster.done(gone.claim(), Duration.ZERO);
    remover.join();
    assertThat(events).containsExactly("removed");

    roster.request(gone.claim());
    roster.request(stays.claim());
    assertThat(take()).isSameAs(stays.claim());
  }
}

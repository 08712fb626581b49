package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.Duty.Kind;
import outbox.dispatch.QueuedEvent.Source;
import outbox.registry.DefaultListenerRegistry;
import outbox.routing.OutboxStore;
import outbox.routing.RoundRobinOutboxSelectionStrategy;
import outbox.spi.ConnectionsBusyException;
import outbox.spi.MetricsExporter;
import outbox.spi.StoreException;
import outbox.testing.CountingMetrics;
import outbox.testing.InMemoryEventStore;
import outbox.testing.Spec;

@Timeout(60)
class DutyRosterTest {
  private static final int PERMITS = 16;
  private static final int PROBES = 2;
  private static final int LOOKS = 4;
  private static final Duration LOOK_PERIOD = Duration.ofMinutes(1);

  private final OutboxConfig config = new OutboxConfig().setColdQueueCapacity(120);
  private final Crew crew =
      new Crew(
          config,
          new DefaultListenerRegistry(),
          new TopicRetries(config, null, Map.of()),
          MetricsExporter.NOOP,
          Brake.NONE);
  private final DutyRoster roster =
      new DutyRoster(
          new DutyQueues(
              PERMITS,
              new ClaimQueue(new RoundRobinOutboxSelectionStrategy()),
              new ColdRoom(crew.lanes(), 10, 120),
              LOOK_PERIOD));

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
  void looksRunOneAtATimeAndOnlyWhileNothingElseRuns() throws Exception {
    List<Berth> idle = berths(3);
    idle.forEach(berth -> roster.postpone(berth.look(), Duration.ZERO));
    Duty first = take();
    assertThat(first.isLook()).isTrue();

    Berth woken = berth("woken");
    roster.requestAt(woken.claim(), System.nanoTime() + Duration.ofMillis(20).toNanos());
    assertThat(take()).as("while a look runs").isSameAs(woken.claim());
    roster.done(first, null);
    Duty flush = duty(woken, Kind.FLUSH);
    roster.requestAt(flush, System.nanoTime() + Duration.ofMillis(20).toNanos());
    assertThat(take()).as("while a claim runs").isSameAs(flush);

    roster.done(woken.claim(), null);
    roster.done(flush, null);
    assertThat(take().isLook()).isTrue();
  }

  @Test
  void looksThatAreLateRunBesideOthersUpToALimit() throws Exception {
    List<Berth> idle = berths(PERMITS);
    Berth busy = berth("busy");
    roster.request(busy.claim());
    assertThat(take()).isSameAs(busy.claim());
    idle.forEach(berth -> roster.postpone(berth.look(), Duration.ZERO));
    idle.forEach(berth -> berth.look().lateAt -= LOOK_PERIOD.toNanos());

    for (int i = 0; i < LOOKS; i++) {
      assertThat(take().isLook()).isTrue();
    }
    Duty flush = duty(busy, Kind.FLUSH);
    roster.requestAt(flush, System.nanoTime() + Duration.ofMillis(600).toNanos());
    assertThat(take()).as("no more looks").isSameAs(flush);
  }

  @Test
  void claimsWithoutEndDoNotKeepLateLooksAway() throws Exception {
    List<Berth> busy = berths(PERMITS);
    Berth idle = berth("idle");
    busy.forEach(berth -> roster.request(berth.claim()));
    roster.postpone(idle.look(), Duration.ZERO);
    idle.look().lateAt -= LOOK_PERIOD.toNanos();

    List<Duty> taken = new ArrayList<>();
    for (int turn = 0; turn < 3; turn++) {
      Duty duty = take();
      taken.add(duty);
      roster.done(duty, Duration.ZERO);
    }

    assertThat(taken).contains(idle.look());
  }

  @Test
  void claimEndsTheTroubleOfLooks() throws Exception {
    Berth one = berth("one");
    StoreException error = new StoreException("down", new SQLException("connection refused"));
    one.station().outage().failed("look", error);
    one.station().outage().failed("look", error);
    assertThat(one.station().outage().isDown()).isTrue();

    one.claim().perform();

    assertThat(one.station().outage().isDown()).isFalse();
  }

  @Test
  void claimCountsAsALook() throws Exception {
    Berth one = berth("one");
    Berth other = berth("other");
    roster.postpone(one.look(), Duration.ofMillis(1));
    roster.postpone(other.look(), Duration.ofMillis(20));

    roster.postpone(one.look(), Duration.ofHours(1));

    assertThat(take()).isSameAs(other.look());
    roster.done(other.look(), Duration.ofMillis(20));
    assertThat(take()).isSameAs(other.look());
  }

  @Test
  void lookThatAClaimOvertakesIsNotForgotten() throws Exception {
    Berth one = berth("one");
    roster.postpone(one.look(), Duration.ZERO);
    Duty look = take();

    roster.postpone(look, Duration.ofMillis(1));
    roster.done(look, null);

    assertThat(take()).isSameAs(look);
  }

  @Test
  void wakeIsServedWhileALookIntoTheSameDatabaseIsUnderWay() throws Exception {
    Berth one = berth("one");
    roster.postpone(one.look(), Duration.ZERO);
    assertThat(take()).isSameAs(one.look());

    one.outbox().enqueue("Any", "{}");

    assertThat(take()).isSameAs(one.claim());
  }

  @Test
  void lookThatFindsSomethingAsksForAClaim() throws Exception {
    Berth one = berth("one");
    roster.postpone(one.look(), Duration.ZERO);
    Duty look = take();
    assertThat(look.perform()).as("found nothing").isPositive();

    try (Connection connection = one.store().claimConnections().getConnection()) {
      one.store().events().insertNew(connection, EventEnvelope.ofJson("Any", "{}"));
    }
    assertThat(look.perform()).isNull();

    assertThat(take()).isSameAs(one.claim());
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
  void fewConnectionsEverProbeDatabasesThatFail() throws Exception {
    List<Berth> failing = berths(10);
    failing.forEach(DutyRosterTest::fail);
    Berth well = berth("well");

    failing.forEach(berth -> roster.request(berth.claim()));
    roster.request(well.claim());

    List<Duty> taken = new ArrayList<>();
    for (int i = 0; i < PROBES + 1; i++) {
      taken.add(take());
    }
    assertThat(taken).filteredOn(Duty::isProbe).hasSize(PROBES);
    assertThat(taken).contains(well.claim());

    roster.done(taken.stream().filter(Duty::isProbe).findFirst().orElseThrow(), null);
    assertThat(take().isProbe()).isTrue();
  }

  @Test
  void databaseThatFailsIsProbedByOneDutyAtATime() throws Exception {
    Berth down = berth("down");
    fail(down);
    Duty flush = duty(down, Kind.FLUSH);
    roster.request(flush);
    roster.request(down.claim());
    Berth well = berth("well");
    roster.request(well.claim());

    assertThat(take()).isSameAs(flush);
    assertThat(take()).isSameAs(well.claim());
    roster.done(flush, null);
    assertThat(take()).isSameAs(down.claim());
  }

  @Test
  void databaseThatIsBackWaitsNoLongerBehindThoseThatFail() throws Exception {
    List<Berth> dark = berths(PROBES);
    dark.forEach(DutyRosterTest::fail);
    dark.forEach(berth -> roster.request(berth.claim()));
    for (int i = 0; i < PROBES; i++) {
      assertThat(take().isProbe()).isTrue();
    }
    Berth back = berth("back");
    fail(back);
    Duty flush = duty(back, Kind.FLUSH);
    roster.request(back.claim());
    roster.request(flush);

    back.station().outage().succeeded("test");

    assertThat(List.of(take(), take(), take()))
        .as("its outcomes, of which it has a duty of its own, and its claim")
        .contains(flush, back.claim());
  }

  @Test
  void databaseThatHasOnlyJustFailedIsTriedBeforeThoseThatFailForLong() throws Exception {
    Berth dead = berth("dead");
    fail(dead);
    await().until(() -> !dead.station().outage().isFresh());
    Berth fresh = berth("fresh");
    fail(fresh);

    roster.request(dead.claim());
    roster.request(fresh.claim());

    assertThat(take()).isSameAs(fresh.claim());
  }

  @Test
  void anySuccessEndsTheTroubleOfWhatNobodyRepeats() {
    Outage outage = berth("one").station().outage();
    outage.missed("lease check", new StoreException("down", new SQLException("refused")));
    assertThat(outage.isDown()).isTrue();

    outage.succeeded("completion");

    assertThat(outage.isDown()).isFalse();
  }

  @Test
  void lackOfAFreeConnectionIsNoOutage() {
    Outage outage = berth("one").station().outage();

    outage.failed("claim", new StoreException("busy", new ConnectionsBusyException("all in use")));

    assertThat(outage.isDown()).isFalse();
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
    await().until(() -> retirement.getState() == Thread.State.WAITING);

    leaving.station().accept(delivery(), false);
    roster.done(leaving.claim(), Duration.ZERO);
    Duty flush = take();
    roster.done(flush, flush.perform());
    retirement.join();

    assertThat(crew.lanes().coldDepth()).as("events of a store that is closed").isZero();
    assertThat(leaving.station().inFlight().size()).isZero();
  }

  @Test
  void storeThatLeavesWhileItIsDownIsReportedNoLonger() {
    CountingMetrics metrics = new CountingMetrics();
    Outage outage = new Outage("leaving", metrics);
    outage.failed("claim", new StoreException("down", new SQLException("refused")));
    assertThat(metrics.isDown("leaving")).isTrue();

    outage.forget();

    assertThat(metrics.isDown("leaving")).isFalse();
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
    await().until(() -> remover.getState() == Thread.State.WAITING);
    assertThat(events).isEmpty();

    roster.done(gone.claim(), Duration.ZERO);
    remover.join();

    roster.request(gone.claim());
    roster.request(stays.claim());
    assertThat(take()).isSameAs(stays.claim());
  }

  private Duty take() throws InterruptedException {
    return Objects.requireNonNull(roster.take());
  }

  private static void fail(Berth berth) {
    berth
        .station()
        .outage()
        .failed("test", new StoreException("down", new SQLException("connection refused")));
  }

  private List<Berth> berths(int count) {
    List<Berth> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(berth("store-" + i));
    }
    return all;
  }

  private Berth berth(String name) {
    InMemoryEventStore events = new InMemoryEventStore();
    StationParts parts =
        new StationParts(
            name,
            events.connections(),
            events,
            true,
            new OwnerTokens("me"),
            new DefaultInFlightTracker(),
            null,
            null);
    OutboxStore store = OutboxStore.builder(name, events.connections(), events).build();
    Berth berth = new Berth(crew, parts, store, roster, true);
    roster.register(berth);
    return berth;
  }

  private static Delivery delivery() {
    QueuedEvent event = new QueuedEvent(EventEnvelope.ofJson("Any", "{}"), Source.COLD, 0);
    return Delivery.of(event, new Hold("me", 0));
  }

  private static Duty duty(Berth berth, Kind kind) {
    return new Duty(berth.station(), kind, share -> null);
  }
}

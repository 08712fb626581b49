package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.dispatch.Duty.Kind;
import outbox.spi.StoreException;

/** When databases are looked into without a request. */
@Timeout(60)
class DutyRosterLooksTest extends RosterOfStores {

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
}

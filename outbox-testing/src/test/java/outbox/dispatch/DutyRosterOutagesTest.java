package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.dispatch.Duty.Kind;
import outbox.spi.ConnectionsBusyException;
import outbox.spi.StoreException;
import outbox.testing.CountingMetrics;

/** Databases that fail, and those beside them. */
@Timeout(60)
class DutyRosterOutagesTest extends RosterOfStores {

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
    await().atMost(Duration.ofSeconds(30)).until(() -> !dead.station().outage().isFresh());
    Berth fresh = berth("fresh");
    fail(fresh);

    roster.request(dead.claim());
    roster.request(fresh.claim());

    assertThat(take()).isSameAs(fresh.claim());
  }

  @Test
  void anySuccessEndsTheTroubleOfWhatIsNotRepeated() {
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
  void storeThatLeavesWhileItIsDownIsReportedNoLonger() {
    CountingMetrics metrics = new CountingMetrics();
    Outage outage = new Outage("leaving", metrics);
    outage.failed("claim", new StoreException("down", new SQLException("refused")));
    assertThat(metrics.isDown("leaving")).isTrue();

    outage.forget();

    assertThat(metrics.isDown("leaving")).isFalse();
  }
}

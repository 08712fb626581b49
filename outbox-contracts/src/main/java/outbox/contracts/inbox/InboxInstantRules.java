package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.inbox.InboxKey;
import outbox.spi.LeasedEventStore.ClaimRequest;

/** What holds at the very instant of a due time and of an age. */
interface InboxInstantRules extends InboxUnderTest {
  Duration TICK = Duration.of(1, ChronoUnit.MICROS);

  @Test
  @Spec({"IBX-023", "IBX-024", "IBX-032"})
  default void aMessageIsDueFromTheInstantOfItsDueTime() {
    Instant due = now().plusSeconds(600).truncatedTo(ChronoUnit.MICROS);
    enqueueDue(KEY, "{}", due);

    stopAt(due.minus(TICK));
    assertThat(claim(ME)).isEmpty();

    stopAt(due);
    assertThat(claimAfter(due)).as("passed over by a hint of this instant").isZero();
    assertThat(claimAfter(due.minus(TICK))).isEqualTo(1);
  }

  /** A claim passes over what became available before the moment up to which it has looked. */
  @Test
  default void whatWasOnlySeenIsAvailableFromTheInstantOfItsContent() {
    Instant now = now().truncatedTo(ChronoUnit.MICROS);
    for (InboxStage stage : List.of(InboxStage.SEEN, InboxStage.BEGUN_BY_HAND)) {
      stopAt(now);
      InboxKey enqueued = stage.reach(this, "enqueued " + stage);
      InboxKey received = stage.reach(this, "received " + stage);

      stopAt(now.plusSeconds(10));
      enqueue(enqueued, "{}");
      inbox().receive(inbound(received, "topic", "{}"));

      assertThat(claimAfter(now.plusSeconds(10).minus(TICK))).as("%s", stage).isEqualTo(2);
    }
  }

  private int claimAfter(Instant hint) {
    ClaimRequest request =
        new ClaimRequest(ME.value(), LEASE, 10, Long.MAX_VALUE, hint, Duration.ZERO);
    return count(c -> store().events().claim(c, request).events().size());
  }

  @Test
  @Spec({"IBX-033", "IBX-034"})
  default void aLeaseEndsAtTheInstantThatItsLengthSays() {
    Instant now = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(now);
    enqueue(KEY, "{}");
    assertThat(work().claim(ME, Duration.ofSeconds(17), 1)).hasSize(1);

    stopAt(now.plusSeconds(17).minus(TICK));
    assertThat(claim(OTHER)).isEmpty();

    stopAt(now.plusSeconds(17));
    assertThat(claimOnly(OTHER).key()).isEqualTo(KEY);
  }

  @Test
  @Spec({"IBX-042", "IBX-052", "IBX-053", "IBX-056"})
  default void anAbandonedMessageIsDueFromTheInstantOfItsDelay() {
    Instant now = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(now);
    InboxKey backedOff = new InboxKey("shop", "backed off");
    enqueue(KEY, "{}");
    enqueue(backedOff, "{}");
    assertThat(claim(ME)).hasSize(2);
    work().abandon(ME, held(KEY), null, Duration.ofMillis(1500));
    work().abandon(ME, held(backedOff));

    stopAt(now.plusMillis(1500).minus(TICK));
    assertThat(claim(ME)).isEmpty();
    stopAt(now.plusMillis(1500));
    assertThat(claimOnly(ME).key()).isEqualTo(KEY);
    stopAt(now.plusSeconds(2).minus(TICK));
    assertThat(claim(ME)).isEmpty();
    stopAt(now.plusSeconds(2));
    assertThat(claimOnly(ME).key()).isEqualTo(backedOff);
  }

  @Test
  @Spec("IBX-100")
  default void whatHasEndedGoesAfterTheInstantOfItsAge() {
    Duration week = Duration.ofDays(7);
    Instant now = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(now.minusSeconds(60));
    InboxKey dead = new InboxKey("shop", "dead");
    enqueue(KEY, "{}");
    enqueue(dead, "{}");
    stopAt(now);
    inbox().markProcessed(KEY);
    inbox().markDead(dead);

    stopAt(now.plus(week));
    assertThat(count(c -> store().events().purgePayloads(c, week, 10))).isZero();
    assertThat(count(c -> store().events().purgeDone(c, week, 10))).isZero();
    assertThat(count(c -> store().events().purgeDead(c, week, 10))).isZero();

    stopAt(now.plus(week).plus(TICK));
    assertThat(count(c -> store().events().purgePayloads(c, week, 10))).isEqualTo(1);
    assertThat(count(c -> store().events().purgeDone(c, week, 10))).isEqualTo(1);
    assertThat(count(c -> store().events().purgeDead(c, week, 10))).isEqualTo(1);
    assertThat(work().get(KEY)).isEmpty();
    assertThat(work().get(dead)).isEmpty();
  }

  /** What was delivered again just this long ago stays as well. */
  @Test
  @Spec("IBX-100")
  default void whatWasSeenAgainGoesAfterTheInstantOfThatAge() {
    Duration week = Duration.ofDays(7);
    Instant now = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(now);
    InboxKey dead = new InboxKey("shop", "dead");
    enqueue(KEY, "{}");
    enqueue(dead, "{}");
    inbox().markProcessed(KEY);
    inbox().markDead(dead);
    stopAt(now.plusSeconds(60));
    inbox().receive(inbound(KEY, "topic", "{}"));
    inbox().receive(inbound(dead, "topic", "{}"));

    stopAt(now.plusSeconds(60).plus(week));
    assertThat(count(c -> store().events().purgeDone(c, week, 10))).isZero();
    assertThat(count(c -> store().events().purgeDead(c, week, 10))).isZero();

    stopAt(now.plusSeconds(60).plus(week).plus(TICK));
    assertThat(count(c -> store().events().purgeDone(c, week, 10))).isEqualTo(1);
    assertThat(count(c -> store().events().purgeDead(c, week, 10))).isEqualTo(1);
  }

  private int count(ToIntFunction<Connection> work) {
    return connections().inAutoCommit(work::applyAsInt);
  }
}

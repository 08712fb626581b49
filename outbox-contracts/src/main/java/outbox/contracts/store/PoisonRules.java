package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;

/** How an event that takes its workers down with it is told from those that only waited. */
interface PoisonRules extends StoreUnderTest {

  @Test
  default void anEventClaimedForTheFirstTimeIsNotSuspect() {
    insert("a");

    ClaimedEvent claimed = claimOnly("me");

    assertThat(claimed.suspect()).isFalse();
    assertThat(claimed.leaseExpiries()).isZero();
  }

  @Test
  default void anEventLeftBehindByAnExpiredLeaseIsSuspectButNotCounted() {
    insert("claimed");
    insertLeased(event("inserted"), "publisher");
    claimById("gone", "claimed");
    advance(PAST_LEASE);

    assertThat(claim("me"))
        .hasSize(2)
        .allSatisfy(claim -> assertThat(claim.suspect()).isTrue())
        .allSatisfy(claim -> assertThat(claim.leaseExpiries()).isZero());
  }

  @Test
  default void waitingInVainIsNeverCounted() {
    insert("a");
    for (int i = 0; i < 4; i++) {
      claimOnly("worker-" + i);
      advance(PAST_LEASE);
    }

    assertThat(claimOnly("me").leaseExpiries()).isZero();
  }

  @Test
  default void aLeaseThatRunsOutAfterTheStartCounts() {
    insert("a");
    claim("first");
    for (int expiries = 0; expiries < 3; expiries++) {
      advance(PAST_LEASE);
      ClaimedEvent claimed = claimOnly("worker-" + expiries);
      assertThat(claimed.suspect()).isTrue();
      assertThat(claimed.leaseExpiries()).isEqualTo(expiries);
      assertThat(markStarted("worker-" + expiries, "a")).containsExactly("a");
    }
    advance(PAST_LEASE);

    assertThat(claimOnly("me").leaseExpiries()).isEqualTo(3);
  }

  @Test
  default void recordingTheStartRenewsTheLease() {
    insert("a");
    claim("me");
    advance(LEASE.minusSeconds(10));

    markStarted("me", "a");

    advance(LEASE.minusSeconds(10));
    assertThat(claim("other")).isEmpty();
  }

  @Test
  default void aStartedEventThatFailsInOrderIsNotCounted() {
    insert("a");
    claim("gone");
    advance(PAST_LEASE);
    claim("me");
    markStarted("me", "a");

    abandon("me", new Failure("a", Duration.ZERO, "busy"));

    ClaimedEvent claimed = claimOnly("other");
    assertThat(claimed.leaseExpiries()).isZero();
    assertThat(claimed.suspect()).isFalse();
  }

  @Test
  default void aSuspectThatIsGivenBackUnstartedStaysSuspect() {
    insert("a", "started");
    claim("gone");
    advance(PAST_LEASE);
    claim("me");
    markStarted("me", "started");

    defer("me", Duration.ZERO, "a", "started");

    assertThat(claim("other"))
        .hasSize(2)
        .allSatisfy(
            claim -> assertThat(claim.suspect()).isEqualTo(claim.event().eventId().equals("a")));
  }

  @Test
  @Spec({"OBX-043", "OBX-044", "OBX-045"})
  default void reapingTakesTheOwnerOffExpiredLeases() {
    insert("expired", "held");
    claimById("gone", "expired");
    advance(PAST_LEASE);
    claimById("me", "held");

    assertThat(reap(Duration.ZERO, 10)).isEqualTo(1);

    assertThat(stored("expired").owner()).isNull();
    assertThat(stored("held").owner()).isEqualTo("me");
    ClaimedEvent claimed = claimOnly("other");
    assertThat(claimed.event().eventId()).isEqualTo("expired");
    assertThat(claimed.suspect()).isTrue();
    assertThat(claimed.leaseExpiries()).isZero();
  }

  @Test
  default void reapingCountsTheExpiryOfAStartedEventOnce() {
    insert("a");
    claim("gone");
    advance(PAST_LEASE);
    claim("me");
    markStarted("me", "a");
    advance(PAST_LEASE);

    assertThat(reap(Duration.ZERO, 10)).isEqualTo(1);
    assertThat(reap(Duration.ZERO, 10)).isZero();

    assertThat(stored("a").leaseExpiries()).isEqualTo(1);
    ClaimedEvent claimed = claimOnly("other");
    assertThat(claimed.suspect()).isTrue();
    assertThat(claimed.leaseExpiries()).isEqualTo(1);
  }

  @Test
  default void reapingLeavesRecentlyExpiredLeasesAndKeepsToItsLimit() {
    insert("a", "b", "c");
    claim("gone");
    advance(PAST_LEASE);

    assertThat(reap(Duration.ofSeconds(30), 10)).isZero();
    advance(Duration.ofSeconds(30));
    assertThat(reap(Duration.ofSeconds(30), 2)).isEqualTo(2);
    assertThat(reap(Duration.ofSeconds(30), 2)).isEqualTo(1);
  }

  @Test
  @Spec("OBX-043")
  default void reapingFindsTheLeaseBehindALongBacklog() {
    insertTogether(IntStream.range(0, 1_100).mapToObj(i -> "free" + i).toList());
    insert("expired");
    claimById("gone", "expired");
    advance(PAST_LEASE);

    assertThat(reap(Duration.ZERO, 1)).isEqualTo(1);

    assertThat(stored("expired").owner()).isNull();
  }

  @Test
  default void reapingLooksAtTheOldestEventsOnly() {
    insert("free");
    advance(Duration.ofSeconds(1));
    insert("expired");
    claimById("gone", "expired");
    advance(PAST_LEASE);

    assertThat(reap(Duration.ZERO, 10, 1)).isZero();
    assertThat(reap(Duration.ZERO, 10, 2)).isEqualTo(1);
  }

  @Test
  @Spec("OBX-046")
  default void reapingNeverTouchesWhatHasEnded() {
    insert("done", "dead", "free");
    claimById("me", "done", "dead");
    ack("me", "done");
    fail("me", new Failure("dead", Duration.ZERO, "broken"));
    List<EventStoreContract.Row> before = List.of(stored("done"), stored("dead"), stored("free"));
    advance(PAST_LEASE);

    assertThat(reap(Duration.ZERO, 10)).isZero();
    assertThat(List.of(stored("done"), stored("dead"), stored("free"))).isEqualTo(before);
  }
}

package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;

/** What a lease keeps others from, and for how long. */
interface LeaseRules extends StoreUnderTest {

  @Test
  @Spec({"OBX-013", "OBX-014", "OBX-015"})
  default void aClaimedEventIsNotClaimedAgainUntilTheLeaseEnds() {
    insert("a");
    Instant before = now();
    assertThat(claimIds("me")).containsExactly("a");
    Instant after = now();

    assertThat(stored("a").owner()).isEqualTo("me");
    assertThat(stored("a").status()).isEqualTo(EventStatus.NEW);
    assertThat(stored("a").availableAt()).isBetween(before.plus(LEASE), after.plus(LEASE));
    assertThat(claim("other")).isEmpty();
    advance(PAST_LEASE);
    assertThat(claimIds("other")).containsExactly("a");
    assertThat(stored("a").owner()).isEqualTo("other");
  }

  @Test
  default void anEventInsertedWithALeaseIsNotClaimableUntilTheLeaseEnds() {
    insertLeased(event("a"), "publisher");

    assertThat(stored("a").owner()).isEqualTo("publisher");
    assertThat(claim("other")).isEmpty();
    advance(PAST_LEASE);
    assertThat(claimIds("other")).containsExactly("a");
  }

  @Test
  default void anEventInsertedWithALeaseIsCompletedByItsPublisher() {
    insertLeased(event("a"), "publisher");

    assertThat(ack("publisher", "a")).containsExactly("a");
    assertThat(stored("a").status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  default void renewingLetsTheLeaseRunAnew() {
    insert("a");
    claim("me");
    advance(LEASE.minusSeconds(10));

    assertThat(renew("me", "a")).containsExactly("a");

    advance(LEASE.minusSeconds(10));
    assertThat(claim("other")).isEmpty();
    advance(Duration.ofSeconds(11));
    assertThat(claimIds("other")).containsExactly("a");
  }

  @Test
  @Spec({"OBX-021", "OBX-022", "OBX-023", "OBX-026", "FRM-47"})
  default void ackCompletesTheEvent() {
    insert("a");
    claim("other");
    abandon("other", new Failure("a", Duration.ZERO, "first", "[]"));
    claim("me");
    advance(Duration.ofSeconds(20));
    Instant before = now();

    assertThat(ack("me", "a")).containsExactly("a");

    EventStoreContract.Row row = stored("a");
    assertThat(row.status()).isEqualTo(EventStatus.DONE);
    assertThat(row.processedBy()).isEqualTo("me");
    assertThat(row.owner()).isNull();
    assertThat(row.lastError()).isNull();
    assertThat(row.listeners()).isNull();
    assertThat(row.doneAt()).isBetween(before, now());
    advance(PAST_LEASE);
    assertThat(claim("other")).isEmpty();
  }

  @Test
  default void ackDeletesTheEventWhereTheStoreIsToldTo() {
    insert("a", "b");
    claim("me");

    assertThat(ackDeleting("me", "a")).containsExactly("a");
    assertThat(ackDeleting("other", "b")).isEmpty();

    assertThat(row("a")).isEmpty();
    assertThat(row("b")).isPresent();
  }

  @Test
  @Spec({"OBX-029", "OBX-030", "OBX-034", "OBX-035", "FRM-48"})
  default void abandonCountsTheAttemptAndFreesTheEventAfterTheDelay() {
    insert("a");
    claim("me");

    assertThat(abandon("me", new Failure("a", Duration.ofSeconds(20), "IOException: no")))
        .containsExactly("a");

    EventStoreContract.Row row = stored("a");
    assertThat(row.status()).isEqualTo(EventStatus.RETRY);
    assertThat(row.attempts()).isEqualTo(1);
    assertThat(row.owner()).isNull();
    assertThat(row.lastError()).isEqualTo("IOException: no");
    assertThat(claim("other")).isEmpty();
    advance(Duration.ofSeconds(21));
    assertThat(claimOnly("other").event().attempts()).isEqualTo(1);
  }

  @Test
  default void deferCountsNothing() {
    insert("a");
    claim("me");

    assertThat(defer("me", Duration.ofSeconds(20), "a")).containsExactly("a");

    EventStoreContract.Row row = stored("a");
    assertThat(row.status()).isEqualTo(EventStatus.NEW);
    assertThat(row.attempts()).isZero();
    assertThat(row.owner()).isNull();
    assertThat(claim("other")).isEmpty();
    advance(Duration.ofSeconds(21));
    assertThat(claimOnly("other").suspect()).isFalse();
  }

  @Test
  default void releasingIsDeferringToNow() {
    insert("a");
    claim("me");

    defer("me", Duration.ZERO, "a");

    assertThat(claimIds("other")).containsExactly("a");
  }

  @Test
  @Spec({"OBX-036", "OBX-037", "OBX-042", "FRM-49"})
  default void failEndsTheEvent() {
    insert("a");
    claim("me");
    advance(Duration.ofSeconds(20));
    Instant before = now();

    assertThat(fail("me", new Failure("a", Duration.ZERO, "broken"))).containsExactly("a");

    EventStoreContract.Row row = stored("a");
    assertThat(row.status()).isEqualTo(EventStatus.DEAD);
    assertThat(row.attempts()).isEqualTo(1);
    assertThat(row.owner()).isNull();
    assertThat(row.lastError()).isEqualTo("broken");
    assertThat(row.availableAt()).as("time of death").isBetween(before, now());
    advance(PAST_LEASE);
    assertThat(claim("other")).isEmpty();
  }

  @Test
  @Spec("OBX-006")
  default void neitherRetryNorDeferralComesBeforeTheDueTime() {
    Instant due = now().plusSeconds(3_600).truncatedTo(ChronoUnit.MICROS);
    for (String id : List.of("abandoned", "deferred")) {
      insertLeased(
          EventEnvelope.builder("Type").eventId(id).payloadJson("{}").dueAt(due).build(), "me");
    }

    abandon("me", new Failure("abandoned", Duration.ofSeconds(5), "busy"));
    defer("me", Duration.ofSeconds(5), "deferred");

    assertThat(stored("abandoned").availableAt()).isEqualTo(due);
    assertThat(stored("deferred").availableAt()).isEqualTo(due);
    advance(Duration.ofSeconds(3_601));
    assertThat(claim("other"))
        .hasSize(2)
        .allSatisfy(claim -> assertThat(claim.event().dueAt()).isEqualTo(due));
  }

  @Test
  default void aRetryLaterThanTheDueTimeKeepsItsDelay() {
    insert(
        EventEnvelope.builder("Type")
            .eventId("a")
            .payloadJson("{}")
            .dueAt(now().plusSeconds(10))
            .build());
    advance(Duration.ofSeconds(11));
    claim("me");
    Instant before = now();

    abandon("me", new Failure("a", Duration.ofSeconds(100), "busy"));

    assertThat(stored("a").availableAt())
        .isBetween(before.plusSeconds(100), now().plusSeconds(100));
  }

  private Collection<String> ackDeleting(String owner, String eventId) {
    return call(connection -> deletingStore().ack(connection, owner, List.of(eventId)));
  }

  @Test
  @Spec({"OBX-014", "OBX-037"})
  default void aClaimTellsTheLastErrorAndTheEndOfItsLease() {
    insert("a");
    assertThat(claimOnly("me").lastError()).isNull();
    abandon("me", new Failure("a", Duration.ZERO, "busy"));

    ClaimedEvent claimed = claimOnly("me");

    assertThat(claimed.lastError()).isEqualTo("busy");
    assertThat(claimed.leasedUntil()).isEqualTo(stored("a").availableAt());
    abandon("me", new Failure("a", Duration.ZERO, null));
    assertThat(stored("a").lastError()).isEqualTo("busy");
    assertThat(inspect(List.of("a")).get("a"))
        .isNotNull()
        .satisfies(state -> assertThat(state.attempts()).isEqualTo(2));
  }
}

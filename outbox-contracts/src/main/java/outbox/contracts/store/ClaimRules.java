package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/** Which events a claim takes. */
interface ClaimRules extends StoreUnderTest {

  @Test
  @Spec({"OBX-011", "OBX-016", "OBX-020", "IDEM-23"})
  default void claimsThoseAvailableLongestFirstAndNoMoreThanAsked() {
    for (String id : List.of("c", "a", "d", "b")) {
      insert(id);
      advance(Duration.ofSeconds(1));
    }

    assertThat(ids(claim(request("me", 3)).events())).containsExactly("c", "a", "d");
    assertThat(ids(claim(request("me", 3)).events())).containsExactly("b");
  }

  @Test
  @Spec("OBX-017")
  default void claimsNothingFromAnEmptyTable() {
    Claimed claimed = claim(request("me", 10));

    assertThat(claimed.events()).isEmpty();
    assertThat(claimed.watermark()).isNull();
  }

  @Test
  default void aLookSaysWhetherAClaimWouldGetSomething() {
    assertThat(mayHaveDue()).isFalse();
    insert("a");
    assertThat(mayHaveDue()).isTrue();
    claim("me");
    assertThat(mayHaveDue()).as("leased").isFalse();
    advance(PAST_LEASE);
    assertThat(mayHaveDue()).as("left behind by its lease").isTrue();
    markRetry("a", now(), "busy");
    assertThat(mayHaveDue()).as("to be tried again").isTrue();
    markDone("a");
    assertThat(mayHaveDue()).as("done").isFalse();
  }

  private boolean mayHaveDue() {
    return call(connection -> store().mayHaveDue(connection));
  }

  @Test
  @Spec({"OBX-018", "OBX-019", "OBX-026", "OBX-042", "IDEM-26"})
  default void neverClaimsWhatIsDoneOrDead() {
    insert("done", "dead");
    markDone("done");
    markDead("dead", "broken");
    advance(Duration.ofDays(1));

    assertThat(claim("me")).isEmpty();
  }

  @Test
  @Spec({"OBX-006", "OBX-012"})
  default void leavesAnEventAloneUntilItIsDue() {
    insert(due("later", now().plusSeconds(600)));

    assertThat(claim("me")).isEmpty();
    advance(Duration.ofSeconds(500));
    assertThat(claim("me")).isEmpty();
    advance(Duration.ofSeconds(101));
    assertThat(claimIds("me")).containsExactly("later");
  }

  @Test
  @Spec({"OBX-006", "OBX-012"})
  default void leavesEventsOfOneCallAloneUntilEachIsDue() {
    List<EventEnvelope> events =
        List.of(due("later", now().plusSeconds(600)), due("past", now().minusSeconds(600)));
    call(c -> store().insertAll(c, events, null));

    assertThat(claimIds("me")).containsExactly("past");
    advance(Duration.ofSeconds(601));
    assertThat(claimIds("other")).containsExactlyInAnyOrder("past", "later");
  }

  @Test
  @Spec("OBX-007")
  default void claimsAtOnceWhatIsLongDueOrHasNoDueTime() {
    insert(due("past", now().minusSeconds(600)));
    insert("none");

    assertThat(claimIds("me")).containsExactlyInAnyOrder("past", "none");
  }

  @Test
  default void stopsAtTheRowWithWhichThePayloadsReachTheLimit() {
    for (String id : List.of("a", "b", "c", "d")) {
      insert(EventEnvelope.builder("Type").eventId(id).payloadJson("x".repeat(100)).build());
      advance(Duration.ofSeconds(1));
    }

    assertThat(ids(claim(bytes(150)).events())).containsExactly("a", "b");
    assertThat(ids(claim(bytes(100)).events())).containsExactly("c");
    assertThat(ids(claim(bytes(1)).events())).containsExactly("d");
  }

  @Test
  default void countsBinaryPayloadsAsWell() {
    for (String id : List.of("a", "b", "c")) {
      insert(EventEnvelope.builder("Type").eventId(id).payloadBytes(new byte[100]).build());
      advance(Duration.ofSeconds(1));
    }

    assertThat(ids(claim(bytes(101)).events())).containsExactly("a", "b");
  }

  @Test
  default void tellsHowFarItGotAndGoesOnFromThere() {
    insert("a");
    advance(Duration.ofSeconds(10));
    insert("b");
    Instant firstAvailable = stored("a").availableAt();
    Instant secondAvailable = stored("b").availableAt();

    assertThat(claim(request("me", 1)).watermark()).isEqualTo(firstAvailable);
    advance(Duration.ofSeconds(10));
    defer("me", Duration.ZERO, "a");
    advance(Duration.ofSeconds(10));

    assertThat(ids(claim(after(firstAvailable)).events())).containsExactlyInAnyOrder("b", "a");
    assertThat(ids(claim(after(secondAvailable)).events())).isEmpty();
  }

  @Test
  default void passesOverWhatWasAvailableAtTheHint() {
    insert("before");
    Instant hint = stored("before").availableAt();
    advance(Duration.ofSeconds(10));
    insert("since");

    assertThat(ids(claim(after(hint)).events())).containsExactly("since");
    assertThat(claimIds("me")).containsExactly("before");
  }

  @Test
  default void ignoresAHintFromTheFuture() {
    insert("a");

    assertThat(ids(claim(after(now().plusSeconds(600))).events())).containsExactly("a");
  }

  @Test
  default void skipsRecentRowsOfAVersionWithoutLeasesOnly() {
    insertByOldVersion("old-version", null);
    insert("new-version");
    ClaimRequest request =
        new ClaimRequest("me", LEASE, 10, Long.MAX_VALUE, null, Duration.ofSeconds(30));

    assertThat(ids(claim(request).events())).containsExactly("new-version");
    advance(Duration.ofSeconds(31));
    assertThat(ids(claim(request).events())).containsExactly("old-version");
  }

  @Test
  @Spec({"OBX-013", "OBX-014", "OBX-015", "OBX-018", "OBX-019"})
  default void claimsByIdWhatIsNotLeased() {
    insert("free", "held", "expired", "retried", "done", "dead");
    call(c -> store().claimById(c, "gone", Duration.ofSeconds(1), List.of("expired")));
    markRetry("retried", now().plusSeconds(600), "busy");
    markDone("done");
    markDead("dead", "broken");
    advance(Duration.ofSeconds(2));
    claimById("other", "held");
    Instant before = now();

    List<ClaimedEvent> claimed =
        claimById("me", "free", "held", "expired", "retried", "done", "dead", "unknown", "free");

    assertThat(ids(claimed)).containsExactlyInAnyOrder("free", "expired", "retried");
    assertThat(claimed)
        .allSatisfy(
            claim ->
                assertThat(claim.suspect()).isEqualTo(claim.event().eventId().equals("expired")));
    assertThat(stored("held").owner()).isEqualTo("other");
    assertThat(stored("free").owner()).isEqualTo("me");
    assertThat(claimed)
        .allSatisfy(
            claim ->
                assertThat(claim.leasedUntil())
                    .isEqualTo(stored(claim.event().eventId()).availableAt())
                    .isBetween(before.plus(LEASE), now().plus(LEASE)));
    assertThat(stored("done").owner()).isNull();
    assertThat(stored("dead").owner()).isNull();
  }

  @Test
  @Spec({"OBX-091", "FRM-52"})
  default void aRolledBackClaimNeverHappened() throws SQLException {
    insert("a");
    try (Connection connection = beginTransaction()) {
      assertThat(store().claim(connection, request("me", 10)).events()).hasSize(1);
      connection.rollback();
    }

    assertThat(stored("a").owner()).isNull();
    assertThat(claimOnly("other").suspect()).isFalse();
  }

  @Test
  @Spec({"OBX-092", "OBX-094", "OBX-095", "IDEM-63"})
  default void competingWorkersNeverClaimTheSameEvent() throws Exception {
    int events = 2_000;
    insertTogether(IntStream.range(0, events).mapToObj(i -> "event-" + i).toList());
    ExecutorService workers = Executors.newFixedThreadPool(8);
    try {
      List<Callable<List<String>>> tasks = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String owner = "worker-" + i;
        tasks.add(() -> claimUntilEmpty(owner));
      }
      List<String> all = new ArrayList<>();
      for (Future<List<String>> ids : workers.invokeAll(tasks)) {
        all.addAll(ids.get());
      }
      assertThat(all).doesNotHaveDuplicates().hasSize(events);
    } finally {
      workers.shutdownNow();
    }
  }

  private List<String> claimUntilEmpty(String owner) {
    List<String> all = new ArrayList<>();
    int emptyInARow = 0;
    while (emptyInARow < 20) {
      List<String> ids = ids(claim(request(owner, 50)).events());
      emptyInARow = ids.isEmpty() ? emptyInARow + 1 : 0;
      all.addAll(ids);
    }
    return all;
  }

  private EventEnvelope due(String id, Instant at) {
    return EventEnvelope.builder("Type").eventId(id).payloadJson("{}").dueAt(at).build();
  }

  private ClaimRequest bytes(long maxBytes) {
    return new ClaimRequest("me", LEASE, 100, maxBytes, null, Duration.ZERO);
  }

  private ClaimRequest after(Instant hint) {
    return new ClaimRequest("me", LEASE, 100, Long.MAX_VALUE, hint, Duration.ZERO);
  }
}

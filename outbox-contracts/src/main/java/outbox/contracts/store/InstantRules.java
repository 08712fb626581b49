package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetterFilter;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Failure;

/** What holds at the very instant of a due time, of the end of a lease, of an expiry, of an age. */
interface InstantRules extends StoreUnderTest {
  Duration TICK = Duration.of(1, ChronoUnit.MICROS);

  @Test
  @Spec("OBX-012")
  default void anEventIsDueFromTheInstantOfItsDueTime() {
    Instant due = now().plusSeconds(600).truncatedTo(ChronoUnit.MICROS);
    insert(EventEnvelope.builder("Type").eventId("a").payloadJson("{}").dueAt(due).build());

    stopAt(due.minus(TICK));
    assertThat(mayHaveDue()).isFalse();
    assertThat(count(c -> store().backlog(c, 10))).isEqualTo(0);
    assertThat(claim("me")).isEmpty();

    stopAt(due);
    assertThat(mayHaveDue()).isTrue();
    assertThat(count(c -> store().backlog(c, 10))).isEqualTo(1);
    assertThat(claimIds("me")).containsExactly("a");
  }

  @Test
  @Spec("OBX-013")
  default void aLeaseEndsAtTheInstantItSays() {
    insert("a");
    claim("me");
    Instant end = stored("a").availableAt();

    stopAt(end.minus(TICK));
    assertThat(claimById("other", "a")).isEmpty();

    stopAt(end);
    assertThat(ids(claimById("other", "a"))).containsExactly("a");
  }

  @Test
  default void anEventHasExpiredFromTheInstantOfItsExpiry() {
    Instant end = now().plusSeconds(600).truncatedTo(ChronoUnit.MICROS);
    for (String id : List.of("a", "b")) {
      insert(EventEnvelope.builder("Type").eventId(id).payloadJson("{}").expiresAt(end).build());
    }

    stopAt(end.minus(TICK));
    assertThat(ids(claim(request("me", 1)).events())).hasSize(1);

    stopAt(end);
    assertThat(claim(request("me", 1)).ended()).hasSize(1);
  }

  @Test
  default void anExpiryThatIsReachedNoLongerHoldsAfterAReplay() {
    Instant end = now().plusSeconds(600).truncatedTo(ChronoUnit.MICROS);
    insert(EventEnvelope.builder("Type").eventId("a").payloadJson("{}").expiresAt(end).build());
    markDead("a", "broken");

    stopAt(end);
    Set<String> replayed = call(c -> store().replay(c, List.of("a"), "alice", false, null));

    assertThat(replayed).containsExactly("a");
    assertThat(claimIds("me")).containsExactly("a");
  }

  @Test
  default void aHintOfThisVeryInstantPassesOverWhatWasAvailable() {
    insert("a");
    Instant available = stored("a").availableAt();

    stopAt(available);
    assertThat(claim(after(available)).events()).isEmpty();
    assertThat(ids(claim(after(available.minus(TICK))).events())).containsExactly("a");
  }

  private ClaimRequest after(Instant hint) {
    return new ClaimRequest("me", LEASE, 100, Long.MAX_VALUE, hint, Duration.ZERO);
  }

  @Test
  default void anEventOfAnOldVersionIsTakenFromTheInstantOfItsAge() {
    insertByOldVersion("old", null);
    Instant created = stored("old").createdAt();
    Duration age = Duration.ofSeconds(30);
    ClaimRequest request = new ClaimRequest("me", LEASE, 10, Long.MAX_VALUE, null, age);

    stopAt(created.plus(age).minus(TICK));
    assertThat(claim(request).events()).isEmpty();

    stopAt(created.plus(age));
    assertThat(ids(claim(request).events())).containsExactly("old");
  }

  @Test
  @Spec("OBX-043")
  default void aLeaseIsReapedAfterTheInstantOfItsGrace() {
    insert("a");
    claim("me");
    Duration grace = Duration.ofSeconds(5);
    Instant end = stored("a").availableAt().plus(grace);

    stopAt(end);
    assertThat(reap(grace, 10)).isZero();

    stopAt(end.plus(TICK));
    assertThat(reap(grace, 10)).isEqualTo(1);
  }

  @Test
  default void whatHasEndedGoesAfterTheInstantOfItsAge() {
    Duration week = Duration.ofDays(7);
    insert("done", "dead");
    claim("me");
    Instant now = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(now);
    ack("me", "done");
    fail("me", new Failure("dead", Duration.ZERO, "broken"));
    assertThat(stored("done").doneAt()).isEqualTo(now);
    assertThat(stored("dead").availableAt()).isEqualTo(now);

    stopAt(now.plus(week));
    assertThat(count(c -> store().purgePayloads(c, week, 10))).isEqualTo(0);
    assertThat(count(c -> store().purgeDone(c, week, 10))).isEqualTo(0);
    assertThat(count(c -> store().purgeDead(c, week, 10))).isEqualTo(0);

    stopAt(now.plus(week).plus(TICK));
    assertThat(count(c -> store().purgePayloads(c, week, 10))).isEqualTo(1);
    assertThat(count(c -> store().purgeDone(c, week, 10))).isEqualTo(1);
    assertThat(count(c -> store().purgeDead(c, week, 10))).isEqualTo(1);
    assertThat(row("done")).isEmpty();
    assertThat(row("dead")).isEmpty();
  }

  @Test
  @Spec({"FRM-47", "OBX-022", "OBX-034"})
  default void everyChangeIsDatedByTheStoresNow() {
    insert("done", "marked", "abandoned", "failed");
    claim("me");
    Instant now = now().plusSeconds(10).truncatedTo(ChronoUnit.MICROS);
    stopAt(now);

    ack("me", "done");
    markDone("marked");
    abandon("me", new Failure("abandoned", Duration.ofSeconds(7), "busy"));
    fail("me", new Failure("failed", Duration.ofSeconds(7), "broken"));

    assertThat(stored("done").doneAt()).isEqualTo(now);
    assertThat(stored("marked").doneAt()).isEqualTo(now);
    assertThat(stored("abandoned").availableAt()).isEqualTo(now.plusSeconds(7));
    assertThat(stored("failed").availableAt()).isEqualTo(now);
    Instant told = call(c -> store().now(c));
    assertThat(told).isEqualTo(now);
  }

  @Test
  @Spec("OBX-011")
  default void eventsOfOneInstantAreClaimedInTheOrderOfTheirIds() {
    stopAt(now().truncatedTo(ChronoUnit.MICROS));
    insert("c", "a", "d", "b");

    for (int limit : List.of(1, 3, 10)) {
      List<OutboxEvent> polled = call(c -> store().pollPending(c, now(), Duration.ZERO, limit));
      assertThat(polled)
          .extracting(OutboxEvent::eventId)
          .isEqualTo(List.of("a", "b", "c", "d").subList(0, Math.min(limit, 4)));
    }
    assertThat(count(c -> store().backlog(c, 3))).isEqualTo(3);
    assertThat(ids(claim(request("me", 3)).events())).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(stored("d").status()).isEqualTo(EventStatus.NEW);
    assertThat(stored("d").owner()).isNull();
  }

  @Test
  default void pagesOfDeadLettersTellMicrosecondsApart() {
    Instant now = now().truncatedTo(ChronoUnit.MICROS);
    for (String id : List.of("c", "b", "a")) {
      now = now.plus(TICK);
      stopAt(now);
      insert(id);
      markDead(id, "broken");
    }

    List<DeadLetter> first = deadLetters(null);
    List<DeadLetter> second = deadLetters(first.get(0).position());
    List<DeadLetter> third = deadLetters(second.get(0).position());

    assertThat(List.of(first, second, third))
        .extracting(page -> page.get(0).id().value())
        .containsExactly("a", "b", "c");
  }

  @Test
  default void deadLettersOfOneInstantAreListedByTheirIdsAndCountedAsTheyAreListed() {
    Instant now = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(now);
    for (String id : List.of("c", "e", "a", "d", "b")) {
      insert(
          EventEnvelope.builder("de".contains(id) ? "mail" : "print")
              .eventId(id)
              .payloadJson("{}")
              .build());
      markDead(id, "broken");
    }
    stopAt(now.minus(TICK));
    insert("z");
    markDead("z", "broken");

    List<DeadLetter> all = deadLetters(null, 10);
    assertThat(all)
        .extracting(letter -> letter.id().value())
        .containsExactly("e", "d", "c", "b", "a", "z");
    assertThat(deadLetters(all.get(1).position(), 2))
        .extracting(letter -> letter.id().value())
        .containsExactly("c", "b");
    for (int window = 1; window < all.size(); window++) {
      int most = window;
      DeadCount mails = call(c -> store().countDead(c, DeadLetterFilter.all().topic("mail"), most));
      assertThat(mails).isEqualTo(new DeadCount(Math.min(window, 2), false));
    }
  }

  private List<DeadLetter> deadLetters(DeadLetter.@Nullable Position after) {
    return deadLetters(after, 1);
  }

  private List<DeadLetter> deadLetters(DeadLetter.@Nullable Position after, int limit) {
    return call(c -> store().deadLetters(c, DeadLetterFilter.all(), after, limit));
  }

  private boolean mayHaveDue() {
    return call(connection -> store().mayHaveDue(connection));
  }

  private int count(ToIntFunction<Connection> work) {
    return call(work::applyAsInt);
  }
}

package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import outbox.Bulk;
import outbox.EventEnvelope;
import outbox.OutboxMessage;
import outbox.contracts.store.EventStoreContract;
import outbox.contracts.support.Spec;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.EventStatus;
import outbox.model.MessageId;

/** Dead letters are found, come back when they are replayed, and go when they are discarded. */
interface DeadLetterRules extends DeadLettersUnderTest {
  @Test
  @Spec("IDEM-30")
  default void aDeadLetterSaysWhatDiedWhenAndWhy() {
    EventEnvelope message =
        EventEnvelope.builder("mail")
            .payloadJson("{\"to\":\"me\"}")
            .tenantId("t1")
            .correlationId("order-7")
            .build();
    MessageId id = enqueue(message);
    enqueue("alive");
    Instant before = now();
    kill("broken", id);

    DeadLetter listed = letters().list(ALL, 10).get(0);

    assertThat(letters().list(ALL, 10)).hasSize(1);
    assertThat(listed.id()).isEqualTo(id);
    assertThat(List.of(listed.topic(), listed.tenantId() + "", listed.correlationId() + ""))
        .containsExactly("mail", "t1", "order-7");
    assertThat(listed.error()).isEqualTo("broken");
    assertThat(listed.attempts()).isEqualTo(1);
    assertThat(listed.diedAt()).isBetween(before, now());
    assertThat(listed.event().payloadJson()).isNull();
    assertThat(listed.replays()).isZero();
    assertThat(letters().find(id).orElseThrow().event().payloadJson()).isEqualTo("{\"to\":\"me\"}");
    assertThat(letters().find(new MessageId("unknown"))).isEmpty();
  }

  @Test
  default void aFilterMeansThoseThatMeetAllOfIt() {
    MessageId a = dead("mail", "t1", "c1", "timeout after 5 s");
    MessageId b = dead("mail", "t2", "c2", "refused (100%)");
    Instant between = now();
    advance(Duration.ofMinutes(1));
    MessageId c = dead("print", "t1", null, "timeout_after");

    assertThat(found(ALL)).containsExactlyInAnyOrder(a, b, c);
    assertThat(found(ALL.topic("mail"))).containsExactlyInAnyOrder(a, b);
    assertThat(found(ALL.topic("Mail"))).isEmpty();
    assertThat(found(ALL.tenantId("t1"))).containsExactlyInAnyOrder(a, c);
    assertThat(found(ALL.correlationId("c2"))).containsExactly(b);
    assertThat(found(ALL.correlationId("c3"))).isEmpty();
    assertThat(found(ALL.errorContains("timeout"))).containsExactlyInAnyOrder(a, c);
    assertThat(found(ALL.errorContains("0%"))).containsExactly(b);
    assertThat(found(ALL.errorContains("t_a"))).containsExactly(c);
    assertThat(found(ALL.errorContains("TIMEOUT"))).isEmpty();
    assertThat(found(ALL.diedBefore(between.plusSeconds(1)))).containsExactlyInAnyOrder(a, b);
    assertThat(found(ALL.diedFrom(between.plusSeconds(1)))).containsExactly(c);
    Instant died = letters().find(c).orElseThrow().diedAt();
    assertThat(found(ALL.diedFrom(died))).containsExactly(c);
    assertThat(found(ALL.diedBefore(died))).containsExactlyInAnyOrder(a, b);
    assertThat(found(ALL.topic("mail").tenantId("t1"))).containsExactly(a);
    assertThat(found(ALL.source("shop"))).isEmpty();
    assertThat(letters().count(ALL.tenantId("t1"))).isEqualTo(new DeadCount(2, true));
  }

  @Test
  default void pagesGoFromTheNewestToTheOldestWithoutGapsOrRepeats() {
    List<MessageId> ids = new ArrayList<>(deadOnes(5));
    advance(Duration.ofMinutes(1));
    ids.addAll(deadOnes(2));

    List<DeadLetter> read = new ArrayList<>(letters().list(ALL, 3));
    for (int page = 2; page <= 3; page++) {
      read.addAll(letters().list(ALL, read.get(read.size() - 1).position(), 3));
    }

    assertThat(read).extracting(DeadLetter::id).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(read)
        .extracting(DeadLetter::createdAt)
        .isSortedAccordingTo((x, y) -> y.compareTo(x));
  }

  @Test
  default void pagesGoByTheTimeOfStoringWhateverTheIdsAre() {
    for (String id : List.of("c", "b", "a")) {
      enqueue(EventEnvelope.builder("mail").eventId(id).payloadJson("{}").build());
      kill("broken", new MessageId(id));
      advance(Duration.ofSeconds(1));
    }

    List<DeadLetter> read = new ArrayList<>(letters().list(ALL, 1));
    for (int page = 2; page <= 3; page++) {
      read.addAll(letters().list(ALL, read.get(read.size() - 1).position(), 1));
    }

    assertThat(read).extracting(letter -> letter.id().value()).containsExactly("a", "b", "c");
  }

  @Test
  default void aCountSaysWhenThereMayBeMore() {
    enqueue("alive");
    deadOnes(5);

    assertThat(count(5)).isEqualTo(new DeadCount(5, false));
    assertThat(count(6)).isEqualTo(new DeadCount(5, true));
  }

  @Test
  default void aCountLooksAtThoseStoredLast() {
    dead("print", null, null, "broken");
    advance(Duration.ofSeconds(1));
    deadOnes(3);

    DeadCount prints = connections().inAutoCommit(c -> store().countDead(c, ALL.topic("print"), 3));

    assertThat(prints).isEqualTo(new DeadCount(0, false));
  }

  @Test
  default void whatDiedAtTheBoundIsLeftAlone() {
    MessageId id = dead("mail", null, null, "broken");
    List<String> ids = List.of(id.value());
    Instant died = letters().find(id).orElseThrow().diedAt();
    Instant later = died.plus(1, ChronoUnit.MICROS);

    assertThat(changed(c -> store().replay(c, ids, "alice", false, died))).isEmpty();
    assertThat(changed(c -> store().discard(c, ids, "bob", "gone", died))).isEmpty();

    assertThat(changed(c -> store().discard(c, ids, "bob", "gone", later))).hasSize(1);
  }

  private Set<String> changed(Function<Connection, Set<String>> work) {
    return connections().inAutoCommit(work);
  }

  @Test
  default void aReplayedMessageIsDueNowUnlessItIsLater() {
    MessageId soon = dead("mail", null, null, "broken");
    Instant due = now().plusSeconds(3_600).truncatedTo(ChronoUnit.MICROS);
    MessageId later = enqueue(EventEnvelope.builder("mail").payloadJson("{}").dueAt(due).build());
    connections().inAutoCommit(c -> store().markDead(c, later.value(), "broken"));
    Instant before = now();
    advance(Duration.ofSeconds(60));

    assertThat(letters().replay(List.of(soon, later), "alice")).hasSize(2);

    assertThat(stored(later).availableAt()).isEqualTo(due);
    Instant available = stored(soon).availableAt();
    assertThat(available).isBetween(before.plusSeconds(60), now());
    assertThat(claimOnly(ME).dueTime()).isEqualTo(available);
    advance(Duration.ofHours(1));
    assertThat(claim(OTHER))
        .filteredOn(message -> message.id().equals(later))
        .extracting(OutboxMessage::dueTime)
        .containsExactly(due);
  }

  @Test
  default void aReplayedMessageHasAllItsAttemptsAndATrace() {
    MessageId id = enqueue("mail");
    claimOnly(ME);
    outbox().abandon(ME, List.of(id), "busy", Duration.ZERO);
    kill("broken", id);
    advance(Duration.ofMinutes(1));
    Instant before = now();

    assertThat(letters().replay(id, "alice")).isTrue();

    assertThat(letters().list(ALL, 10)).isEmpty();
    assertThat(stored(id).status()).isEqualTo(EventStatus.NEW);
    OutboxMessage again = claimOnly(ME);
    assertThat(again.retryCount()).isZero();
    assertThat(again.lastError()).isEqualTo("broken");
    outbox().fail(ME, List.of(id), "still broken");
    DeadLetter dead = letters().find(id).orElseThrow();
    assertThat(dead.replays()).isEqualTo(1);
    assertThat(dead.replayedBy()).isEqualTo("alice");
    assertThat(dead.replayedAt()).isBetween(before, now());
    assertThat(dead.error()).isEqualTo("still broken");
  }

  @Test
  default void anExpiryThatHasPassedNoLongerHoldsAfterAReplay() {
    MessageId id =
        enqueue(
            EventEnvelope.builder("mail")
                .payloadJson("{}")
                .expiresAt(now().plusSeconds(10))
                .build());
    advance(Duration.ofSeconds(11));
    assertThat(claim(ME)).isEmpty();

    assertThat(letters().replay(id, "alice")).isTrue();

    assertThat(claimOnly(ME).id()).isEqualTo(id);
  }

  @Test
  default void anExpiryThatIsStillToComeHoldsAfterAReplay() {
    Instant end = now().plusSeconds(100);
    MessageId id = enqueue(EventEnvelope.builder("mail").payloadJson("{}").expiresAt(end).build());
    kill("broken", id);

    assertThat(letters().replay(id, "alice")).isTrue();

    advance(Duration.ofSeconds(101));
    assertThat(claim(ME)).isEmpty();
  }

  @Test
  default void onlyDeadMessagesAreReplayedOrDiscarded() throws Exception {
    MessageId fresh = enqueue("fresh");
    MessageId held = enqueue("held");
    MessageId done = enqueue("done");
    MessageId retried = enqueue("retried");
    MessageId dead = dead("dead", null, null, "broken");
    outbox().claim(ME, LEASE, 100);
    outbox().ack(ME, List.of(done));
    outbox().release(ME, List.of(fresh));
    outbox().abandon(ME, List.of(retried), "busy", Duration.ofHours(1));
    List<MessageId> all = List.of(fresh, held, done, retried, dead, new MessageId("unknown"));

    assertThat(all).filteredOn(id -> letters().find(id).isPresent()).containsExactly(dead);
    assertThat(letters().discard(all, "bob", "obsolete")).containsExactly(dead);
    assertThat(letters().replay(all, "bob")).isEmpty();

    assertThat(stored(held).owner()).isEqualTo(ME.value());
    assertThat(outbox().ack(ME, List.of(held))).containsExactly(held);
    assertThat(stored(fresh).status()).isEqualTo(EventStatus.NEW);
    assertThat(stored(done).processedBy()).isEqualTo(ME.value());
  }

  @Test
  default void aDiscardedMessageLeavesTheListAndKeepsATrace() {
    MessageId id = dead("mail", null, null, "broken");

    assertThat(letters().discard(List.of(id), "bob", "customer is gone")).containsExactly(id);

    assertThat(letters().list(ALL, 10)).isEmpty();
    EventStoreContract.Row row = stored(id);
    assertThat(row.status()).isEqualTo(EventStatus.DONE);
    assertThat(row.processedBy()).isEqualTo("bob");
    assertThat(row.lastError()).isEqualTo("discarded by bob: customer is gone");
    assertThat(claim(ME)).isEmpty();
    advance(Duration.ofDays(8));
    int purged = connections().inAutoCommit(c -> store().purgeDone(c, Duration.ofDays(7), 10));
    assertThat(purged).isEqualTo(1);
  }

  @Test
  default void aReplaySkipsWhatIsLocked() throws Exception {
    MessageId locked = dead("mail", null, null, "broken");
    MessageId free = dead("mail", null, null, "broken");
    try (Connection other = connections().getConnection()) {
      other.setAutoCommit(false);
      assertThat(store().discard(other, List.of(locked.value()), "bob", "gone", null)).hasSize(1);

      assertThat(letters().replay(List.of(locked, free), "alice")).containsExactly(free);
      other.rollback();
    }
    assertThat(letters().replay(locked, "alice")).isTrue();
  }

  @Test
  default void whoDoesItMustBeNamed() {
    MessageId id = dead("mail", null, null, "broken");

    assertThatThrownBy(() -> letters().replay(id, " "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("by");
    assertThatThrownBy(() -> letters().replay(id, "x".repeat(65)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("by (65 characters)");
    assertThatThrownBy(() -> letters().discard(List.of(id), "bob", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("reason");
    assertThatThrownBy(() -> Bulk.by("bob").batchSize(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("batchSize (0)");
    assertThat(letters().find(id)).isPresent();
  }

  private DeadCount count(int window) {
    return connections().inAutoCommit(c -> store().countDead(c, ALL, window));
  }
}

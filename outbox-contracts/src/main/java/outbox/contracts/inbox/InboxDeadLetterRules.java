package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.DeadLetters;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetterFilter;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/** Dead messages are found by what they are, and come back with nothing held against them. */
interface InboxDeadLetterRules extends InboxUnderTest {
  DeadLetterFilter ALL = DeadLetterFilter.all();

  @Test
  default void aFilterMeansTheDeadMessagesThatMeetAllOfIt() {
    InboxKey a = died("shop", "1", "mail", "timeout after 5 s");
    InboxKey b = died("bank", "2", "mail", "refused");
    advance(Duration.ofMinutes(1));
    InboxKey c = died("shop", "3", "print", "timeout");
    enqueue(new InboxKey("shop", "alive"), "{}");
    Instant died = letter(c).diedAt();

    assertThat(found(ALL)).containsExactly(c, b, a);
    assertThat(found(ALL.topic("mail"))).containsExactly(b, a);
    assertThat(found(ALL.source("shop"))).containsExactly(c, a);
    assertThat(found(ALL.errorContains("timeout"))).containsExactly(c, a);
    assertThat(found(ALL.diedFrom(died))).containsExactly(c);
    assertThat(found(ALL.diedBefore(died))).containsExactly(b, a);
    assertThat(found(ALL.topic("mail").source("shop"))).containsExactly(a);
    assertThat(found(ALL.tenantId("shop"))).isEmpty();
    assertThat(found(ALL.correlationId("1"))).isEmpty();
  }

  private List<InboxKey> found(DeadLetterFilter filter) {
    List<InboxKey> found =
        letters().list(filter, 10).stream().map(letter -> InboxMessage.of(letter).key()).toList();
    assertThat(letters().count(filter)).isEqualTo(new DeadCount(found.size(), true));
    return found;
  }

  @Test
  default void pagesOfDeadMessagesHaveNoGapsOrRepeats() {
    stopAt(now().truncatedTo(ChronoUnit.MICROS));
    List<InboxKey> keys = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      keys.add(died("shop", "m" + i, "mail", "broken"));
    }

    List<DeadLetter> read = new ArrayList<>(letters().list(ALL, 2));
    assertThat(read).hasSize(2);
    for (int page = 2; page <= 3; page++) {
      read.addAll(letters().list(ALL, read.get(read.size() - 1).position(), 2));
    }

    assertThat(read)
        .extracting(letter -> InboxMessage.of(letter).key())
        .containsExactlyInAnyOrderElementsOf(keys);
  }

  @Test
  default void pagesOfDeadMessagesGoByTheTimeOfTheirFirstSighting() {
    Instant now = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(now);
    InboxKey later = died("shop", "1", "mail", "broken");
    stopAt(now.minus(1, ChronoUnit.MICROS));
    InboxKey earlier = died("shop", "2", "mail", "broken");

    DeadLetter first = letters().list(ALL, 1).get(0);
    DeadLetter second = letters().list(ALL, first.position(), 1).get(0);

    assertThat(InboxMessage.of(first).key()).isEqualTo(later);
    assertThat(InboxMessage.of(second).key()).isEqualTo(earlier);
    assertThat(letters().list(ALL, second.position(), 1)).isEmpty();
  }

  @Test
  default void aCountLooksAtTheMessagesStoredLast() {
    died("shop", "1", "print", "broken");
    advance(Duration.ofSeconds(1));
    died("shop", "2", "mail", "broken");

    DeadCount prints =
        connections().inAutoCommit(c -> store().events().countDead(c, ALL.topic("print"), 1));

    assertThat(prints).isEqualTo(new DeadCount(0, false));
  }

  @Test
  default void aCountLooksAtTheSameMessagesAsAList() {
    Instant now = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(now);
    for (int i = 0; i < 6; i++) {
      died("shop", "m" + i, i % 2 == 0 ? "print" : "mail", "broken");
    }
    stopAt(now.minusSeconds(1));
    died("shop", "first", "mail", "broken");

    List<DeadLetter> listed = letters().list(ALL, 10);
    for (int window = 1; window < listed.size(); window++) {
      int most = window;
      DeadCount mails =
          connections().inAutoCommit(c -> store().events().countDead(c, ALL.topic("mail"), most));
      long expected =
          listed.subList(0, window).stream()
              .filter(letter -> letter.topic().equals("mail"))
              .count();
      assertThat(mails).as("window %d", window).isEqualTo(new DeadCount((int) expected, false));
    }
  }

  @Test
  default void aDeadMessageIsFoundByItsOwnId() {
    for (int i = 0; i < 3; i++) {
      died("shop", "m" + i, "mail", "broken");
    }

    for (DeadLetter letter : letters().list(ALL, 10)) {
      assertThat(letters().find(letter.id()).orElseThrow().id()).isEqualTo(letter.id());
    }
  }

  @Test
  default void aReplayedMessageHasNothingHeldAgainstItButItsTrace() {
    enqueue(KEY, "{}");
    letALeaseExpire();
    claimOnly(ME);
    work().abandon(ME, held(KEY), "busy", Duration.ofSeconds(1));
    advance(Duration.ofSeconds(2));
    claimOnly(ME);
    work().fail(ME, held(KEY), "broken");
    Instant now = now().plusSeconds(10).truncatedTo(ChronoUnit.MICROS);
    stopAt(now);

    assertThat(letters().replay(letter(KEY).id(), "alice")).isTrue();

    ClaimedEvent replayed = claimEvent();
    assertThat(replayed.event().attempts()).isZero();
    assertThat(replayed.leaseExpiries()).isZero();
    assertThat(replayed.suspect()).isFalse();
    assertThat(replayed.event().dueAt()).isEqualTo(now);
    work().fail(ME, held(KEY), "broken");
    assertThat(letter(KEY).replayedAt()).isEqualTo(now);
  }

  @Test
  default void aMessageReplayedByItsKeyHasNothingHeldAgainstItButItsTrace() {
    enqueue(KEY, "{}");
    letALeaseExpire();
    letALeaseExpire();
    assertThat(claimEvent().leaseExpiries()).isEqualTo(2);
    work().fail(ME, held(KEY), "broken");
    Instant before = now();

    assertThat(inbox().replay(KEY, "ann")).isTrue();

    ClaimedEvent replayed = claimEvent();
    assertThat(replayed.leaseExpiries()).isZero();
    assertThat(replayed.suspect()).isFalse();
    assertThat(replayed.event().attempts()).isZero();
    work().fail(ME, held(KEY), "broken");
    assertThat(letter(KEY).replayedAt()).isBetween(before, now());
    assertThat(letters().replay(letter(KEY).id(), "alice")).isTrue();
    assertThat(claimEvent().leaseExpiries()).isZero();
    work().fail(ME, held(KEY), "broken");
    assertThat(letter(KEY).replays()).isEqualTo(2);
    assertThat(letter(KEY).replayedBy()).isEqualTo("alice");
  }

  private void letALeaseExpire() {
    List<String> ids = List.of(claimEvent().event().eventId());
    connections().inAutoCommit(c -> store().events().markStarted(c, ME.value(), ids, LEASE));
    advance(PAST_LEASE);
  }

  private ClaimedEvent claimEvent() {
    ClaimRequest request =
        new ClaimRequest(ME.value(), LEASE, 10, Long.MAX_VALUE, null, Duration.ZERO);
    List<ClaimedEvent> claimed =
        connections().inAutoCommit(c -> store().events().claim(c, request).events());
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  @Test
  default void aReplayedMessageWaitsForItsDueTime() {
    InboxKey other = new InboxKey("shop", "message-2");
    Instant due = now().plusSeconds(100).truncatedTo(ChronoUnit.MICROS);
    for (InboxKey key : List.of(KEY, other)) {
      enqueueDue(key, "{}", due);
      inbox().markDead(key);
    }

    assertThat(inbox().replay(KEY, "ann")).isTrue();
    assertThat(letters().replay(letter(other).id(), "alice")).isTrue();

    assertThat(claim(ME)).isEmpty();
    advance(Duration.ofSeconds(101));
    assertThat(claim(ME)).extracting(InboxMessage::dueTime).containsExactly(due, due);
  }

  @Test
  default void whatWasOnlySeenIsOnlySeenAgainAfterAReplay() {
    inbox().alreadyProcessed(KEY, null);
    inbox().markDead(KEY);

    assertThat(inbox().replay(KEY, "ann")).isTrue();

    assertThat(status(KEY)).isEqualTo(InboxStatus.SEEN);
    assertThat(claim(ME)).isEmpty();
  }

  @Test
  default void aDeadMessageDiedWhenItDiedWhateverComesAfterIt() {
    Instant start = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(start);
    enqueue(KEY, "{}");
    stopAt(start.plusSeconds(5));
    inbox().markDead(KEY);
    stopAt(start.plusSeconds(9));

    enqueueDue(KEY, "new", start.plusSeconds(100));

    assertThat(letter(KEY).diedAt()).isEqualTo(start.plusSeconds(5));
  }

  @Test
  default void whatIsNotDeadIsNeitherFoundNorReplayedNorDiscarded() {
    inbox().alreadyProcessed(new InboxKey("shop", "seen"), null);
    InboxKey begun = new InboxKey("shop", "begun");
    inbox().alreadyProcessed(begun, null);
    inbox().markProcessing(begun);
    InboxKey done = new InboxKey("shop", "done");
    inbox().alreadyProcessed(done, null);
    inbox().markProcessed(done);
    enqueue(KEY, "{}");
    claimOnly(ME);
    work().abandon(ME, held(KEY), "busy", Duration.ofSeconds(1));
    enqueue(new InboxKey("shop", "new"), "{}");
    connections()
        .inAutoCommit(
            c -> {
              List<InboxKey> keys =
                  Stream.of("seen", "begun", "done", "new", KEY.messageId())
                      .map(id -> new InboxKey("shop", id))
                      .toList();
              List<String> ids = List.copyOf(store().eventIds(c, keys).values());
              assertThat(ids).hasSize(5);
              assertThat(store().events().discard(c, ids, "bob", "gone", null)).isEmpty();
              assertThat(store().events().replay(c, ids, "bob", false, null)).isEmpty();
              assertThat(ids).allMatch(id -> store().events().deadLetter(c, id).isEmpty());
              return ids;
            });
  }

  private InboxKey died(String source, String messageId, String topic, String error) {
    InboxKey key = new InboxKey(source, messageId);
    inbox().enqueue(InboundMessage.of(new InboxKey(source, messageId), topic, "{}"));
    claimOnly(ME);
    assertThat(work().fail(ME, held(key), error)).containsExactly(key);
    return key;
  }

  private DeadLetter letter(InboxKey key) {
    return letters().list(ALL, 10).stream()
        .filter(letter -> InboxMessage.of(letter).key().equals(key))
        .findFirst()
        .orElseThrow();
  }

  private DeadLetters letters() {
    return inbox().deadLetters();
  }
}

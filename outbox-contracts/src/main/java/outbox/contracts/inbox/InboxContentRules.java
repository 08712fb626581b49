package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.contracts.inbox.InboxUnderTest.bytes;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.model.OwnerToken;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/** What an enqueue over a message that is known does, and to whom. */
interface InboxContentRules extends InboxUnderTest {

  @Test
  @Spec({"IBX-014", "IBX-026", "IBX-029"})
  default void enqueueReplacesTheContentOfWhatIsNotDone() {
    inbox().alreadyProcessed(KEY, bytes("seen"));
    inbox()
        .enqueue(
            InboundMessage.of(new InboxKey("shop", "message-1"), "first", "one")
                .withHash(bytes("h1")));
    InboxMessage before = stored(KEY);
    assertThat(before.status()).isEqualTo(InboxStatus.PROCESSING);
    assertThat(before.contentVersion()).isEqualTo(1);
    assertThat(before.hash()).isEqualTo(bytes("h1"));
    advance(Duration.ofSeconds(5));

    inbox()
        .enqueue(
            InboundMessage.of(new InboxKey("shop", "message-1"), "second", "two")
                .withHash(bytes("h2")));

    InboxMessage after = stored(KEY);
    assertThat(after.topic()).isEqualTo("second");
    assertThat(after.payload()).isEqualTo("two");
    assertThat(after.hash()).isEqualTo(bytes("h2"));
    assertThat(after.contentVersion()).isEqualTo(2);
    assertThat(after.firstSeen()).isEqualTo(before.firstSeen());
    assertThat(after.lastSeen()).isAfterOrEqualTo(before.lastSeen().plusSeconds(4));
    assertThat(claimOnly(ME).payload()).isEqualTo("two");
  }

  @Test
  @Spec("IBX-028")
  default void enqueueLeavesWhatIsDoneAsItIs() {
    enqueue(KEY, "one");
    claimOnly(ME);
    work().ack(ME, held(KEY));

    inbox()
        .enqueue(
            InboundMessage.of(new InboxKey("shop", "message-1"), "other", "two")
                .withHash(bytes("hash"))
                .withDueTime(now().plusSeconds(9)));

    InboxMessage stored = stored(KEY);
    assertThat(stored.status()).isEqualTo(InboxStatus.DONE);
    assertThat(stored.topic()).isEqualTo("topic");
    assertThat(stored.payload()).isEqualTo("one");
    assertThat(stored.hash()).isNull();
    assertThat(stored.dueTime()).isNull();
    assertThat(claim(ME)).isEmpty();
  }

  @Test
  @Spec({"IBX-023", "IBX-024", "IBX-032"})
  default void aDueTimeHoldsAMessageBackUntilItHasPassedOrIsTakenBack() {
    enqueueDue(KEY, "{}", now().plusSeconds(100));
    assertThat(claim(ME)).isEmpty();
    advance(Duration.ofSeconds(99));
    assertThat(claim(ME)).isEmpty();
    advance(Duration.ofSeconds(2));
    assertThat(claim(ME)).hasSize(1);
    work().abandon(ME, held(KEY), null, Duration.ofSeconds(10));

    enqueueDue(KEY, "{}", now().plusSeconds(50));
    advance(Duration.ofSeconds(20));
    assertThat(claim(ME)).isEmpty();
    advance(Duration.ofSeconds(31));
    assertThat(claim(ME)).hasSize(1);
  }

  @Test
  @Spec("IBX-024")
  default void aDueTimeThatIsTakenBackOrPastMakesItDueAtOnce() {
    enqueueDue(KEY, "{}", now().plusSeconds(100));
    enqueueDue(KEY, "{}", null);
    assertThat(claimOnly(ME).dueTime()).isNull();
    work().ack(ME, held(KEY));

    InboxKey past = new InboxKey("shop", "past");
    enqueueDue(past, "{}", now().minusSeconds(100));
    assertThat(claimOnly(ME).key()).isEqualTo(past);
  }

  @Test
  default void enqueueOfTheSameContentDoesNotShortenABackoff() {
    enqueue(KEY, "{}");
    claimOnly(ME);
    work().abandon(ME, held(KEY), null, Duration.ofSeconds(100));

    enqueue(KEY, "{}");

    assertThat(claim(ME)).isEmpty();
    assertThat(stored(KEY).contentVersion()).isEqualTo(1);
  }

  @Test
  default void noDueTimeThatHasPassedShortensABackoff() {
    enqueue(KEY, "{}");
    claimOnly(ME);
    work().abandon(ME, held(KEY), null, Duration.ofSeconds(100));

    enqueueDue(KEY, "{}", now().minusSeconds(1));

    assertThat(claim(ME)).isEmpty();
  }

  @Test
  default void enqueueOfTheSameContentDoesNotShortenADeferral() {
    enqueue(KEY, "{}");
    List<String> ids = List.of(claimEvent().event().eventId());
    connections()
        .inAutoCommit(c -> store().events().defer(c, ME.value(), ids, Duration.ofSeconds(100)));

    enqueue(KEY, "{}");

    assertThat(claim(ME)).isEmpty();
    advance(Duration.ofSeconds(101));
    assertThat(claim(ME)).hasSize(1);
  }

  @Test
  @Spec({"IBX-045", "IBX-078"})
  default void anAckOfOldContentDoesNotCompleteTheNew() {
    enqueue(KEY, "old");
    List<InboxMessage> old = claim(ME);

    enqueue(KEY, "new");

    assertThat(claim(OTHER)).isEmpty();
    assertThat(work().ack(ME, old)).isEmpty();
    assertThat(work().fail(ME, old, "broken")).isEmpty();
    assertThat(work().abandon(ME, old)).isEmpty();
    assertThat(status(KEY)).isEqualTo(InboxStatus.PROCESSING);
    assertThat(claim(OTHER)).isEmpty();
    advance(PAST_LEASE);
    InboxMessage fresh = claimOnly(OTHER);
    assertThat(fresh.payload()).isEqualTo("new");
    assertThat(fresh.contentVersion()).isEqualTo(2);
    assertThat(fresh.attempt()).isZero();
    assertThat(work().ack(OTHER, held(KEY))).containsExactly(KEY);
  }

  @Test
  @Spec({"IBX-045", "IBX-054", "IBX-062"})
  default void anAckOfOldContentDoesNotCompleteTheNewThatTheSameOwnerHolds() {
    enqueue(KEY, "old");
    List<InboxMessage> old = claim(ME);
    enqueue(KEY, "new");
    advance(PAST_LEASE);
    List<InboxMessage> fresh = claim(ME);

    assertThat(work().ack(ME, old)).isEmpty();
    assertThat(work().fail(ME, old, "broken")).isEmpty();
    assertThat(work().abandon(ME, old)).isEmpty();
    assertThat(work().abandon(ME, old, "broken", LEASE)).isEmpty();

    assertThat(stored(KEY).status()).isEqualTo(InboxStatus.PROCESSING);
    assertThat(stored(KEY).attempt()).isZero();
    assertThat(owner(KEY)).isEqualTo(ME.value());
    assertThat(work().ack(ME, fresh)).containsExactly(KEY);
    assertThat(status(KEY)).isEqualTo(InboxStatus.DONE);
  }

  @Test
  @Spec("IBX-045")
  default void anOwnerWithALongNameHasHisMessagesToo() {
    OwnerToken longest = new OwnerToken("x".repeat(64));
    enqueue(KEY, "{}");
    List<InboxMessage> claimed = claim(longest);

    assertThat(work().ack(longest, claimed)).containsExactly(KEY);
  }

  @Test
  default void newContentDoesNotInheritTheExpiredLeasesOfTheOld() {
    enqueue(KEY, "old");
    letALeaseRunOut();
    assertThat(claimEvent().leaseExpiries()).isEqualTo(1);

    enqueue(KEY, "old");
    advance(PAST_LEASE);
    assertThat(claimEvent().leaseExpiries()).isEqualTo(1);
    enqueue(KEY, "new");
    advance(PAST_LEASE);

    assertThat(claimEvent().leaseExpiries()).isZero();
  }

  @Test
  default void anotherTopicAloneDoesNotInheritTheExpiredLeasesEither() {
    enqueue(KEY, "old");
    letALeaseRunOut();
    assertThat(claimEvent().leaseExpiries()).isEqualTo(1);

    inbox().enqueue(inbound(KEY, "other", "old"));
    advance(PAST_LEASE);

    assertThat(claimEvent().leaseExpiries()).isZero();
  }

  @Test
  default void aDuplicateDoesNotHideThatItsHandlerHasDied() {
    enqueue(KEY, "same");
    claimEvent();
    markStarted();

    enqueue(KEY, "same");
    advance(PAST_LEASE);

    assertThat(claimEvent().leaseExpiries()).isEqualTo(1);
  }

  @Test
  default void newContentOfWhatNobodyHoldsHasNoHolderAndNoPast() {
    enqueue(KEY, "old");

    enqueue(KEY, "new");

    assertThat(owner(KEY)).isNull();
    assertThat(claimEvent().suspect()).isFalse();
  }

  @Test
  @Spec({"IBX-045", "IBX-078"})
  default void anotherTopicOrAnotherPayloadIsNewContent() {
    for (InboundMessage changed :
        List.of(inbound(KEY, "other", "old"), inbound(KEY, "topic", "new"))) {
      InboundMessage first = inbound(KEY, "topic", "old");
      inbox().enqueue(first);
      int version = stored(KEY).contentVersion();
      List<InboxMessage> old = claim(ME);
      markStarted();

      inbox().enqueue(changed);

      assertThat(stored(KEY).contentVersion()).as("%s", changed).isEqualTo(version + 1);
      assertThat(owner(KEY)).as("%s", changed).isNotEqualTo(ME.value());
      assertThat(work().ack(ME, old)).as("%s", changed).isEmpty();
      advance(PAST_LEASE);
      assertThat(claimEvent().leaseExpiries()).as("%s", changed).isZero();
      work().abandon(ME, held(KEY), null, Duration.ofSeconds(1));
      advance(Duration.ofSeconds(2));
    }
  }

  private void markStarted() {
    connections()
        .inAutoCommit(
            connection ->
                store()
                    .events()
                    .markStarted(
                        connection,
                        ME.value(),
                        store().eventIds(connection, List.of(KEY)).values(),
                        LEASE));
  }

  private void letALeaseRunOut() {
    List<String> ids = List.of(claimEvent().event().eventId());
    connections()
        .inAutoCommit(
            connection -> store().events().markStarted(connection, ME.value(), ids, LEASE));
    advance(PAST_LEASE);
  }

  private ClaimedEvent claimEvent() {
    ClaimRequest request =
        new ClaimRequest(ME.value(), LEASE, 10, Long.MAX_VALUE, null, Duration.ZERO);
    List<ClaimedEvent> claimed =
        connections()
            .inAutoCommit(connection -> store().events().claim(connection, request).events());
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  @Test
  @Spec("IBX-078")
  default void aReplacedMessageIsNotHandledAnewBeforeTheOldLeaseIsOver() {
    enqueue(KEY, "old");
    claimOnly(ME);
    enqueue(KEY, "new");

    enqueueDue(KEY, "new", now().minusSeconds(1));
    enqueueDue(KEY, "newer", null);

    assertThat(claim(OTHER)).isEmpty();
    advance(PAST_LEASE);
    assertThat(claimOnly(OTHER).payload()).isEqualTo("newer");
  }

  @Test
  @Spec({"IBX-023", "IBX-032", "IBX-078"})
  default void aReplacedMessageWaitsForItsDueTimeEvenIfTheOldLeaseEndsBefore() {
    enqueue(KEY, "old");
    claimOnly(ME);

    enqueueDue(KEY, "new", now().plus(LEASE.multipliedBy(2)));
    advance(PAST_LEASE);
    assertThat(claim(OTHER)).isEmpty();

    enqueueDue(KEY, "new", now().plus(LEASE.multipliedBy(2)));
    advance(PAST_LEASE);
    assertThat(claim(OTHER)).isEmpty();
    advance(PAST_LEASE);
    assertThat(claimOnly(OTHER).payload()).isEqualTo("new");
  }

  @Test
  @Spec("IBX-045")
  default void aDuplicateWithEqualContentDisturbsNoHandler() {
    Instant due = now().minusSeconds(1);
    inbox().enqueue(InboundMessage.of(KEY, "topic", "same").withHash(bytes("h1")).withDueTime(due));
    claimOnly(ME);

    inbox().enqueue(InboundMessage.of(KEY, "topic", "same").withHash(bytes("h2")));
    inbox().receive(inbound(KEY, "topic", "other"));
    inbox().alreadyProcessed(KEY, bytes("h3"));

    assertThat(owner(KEY)).isEqualTo(ME.value());
    assertThat(stored(KEY).contentVersion()).isEqualTo(1);
    assertThat(stored(KEY).hash()).isEqualTo(bytes("h2"));
    assertThat(work().ack(ME, held(KEY))).containsExactly(KEY);
  }

  @Test
  default void blanksAtTheEndAreContentToo() {
    enqueue(KEY, "same");
    enqueue(KEY, "same ");

    assertThat(stored(KEY).contentVersion()).isEqualTo(2);
  }
}

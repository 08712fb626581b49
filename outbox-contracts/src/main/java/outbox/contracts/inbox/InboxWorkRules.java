package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static outbox.contracts.inbox.InboxUnderTest.bytes;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.model.OwnerToken;
import outbox.spi.ConnectionProvider;

/** Claim, acknowledge, give back, end: by key, on the work queue of the outbox. */
interface InboxWorkRules extends InboxUnderTest {

  @Test
  @Spec({"IBX-033", "IBX-034", "IBX-035", "IBX-036", "IBX-037", "IBX-039", "IBX-109"})
  default void aClaimLeasesAtMostWhatItAskedFor() {
    for (int i = 0; i < 5; i++) {
      inbox()
          .enqueue(
              InboundMessage.of(new InboxKey("shop", "m" + i), "topic", "p" + i)
                  .withHash(bytes("h" + i)));
    }
    try (LogCapture log = LogCapture.of("outbox")) {
      List<InboxMessage> first = work().claim(ME, LEASE, 3);
      assertThat(first)
          .extracting(InboxMessage::messageId, InboxMessage::payload)
          .containsExactlyInAnyOrder(tuple("m0", "p0"), tuple("m1", "p1"), tuple("m2", "p2"));
      assertThat(log.entries()).contains("FINE claimed count=3 expired=0 owner=me");
      assertThat(owner(first.get(0).key())).isEqualTo(ME.value());
      assertThat(first.get(0).hash()).isEqualTo(bytes("h0"));
      assertThat(first.get(0).lastSeen()).isEqualTo(stored(first.get(0).key()).lastSeen());
    }
    assertThat(claim(OTHER))
        .extracting(InboxMessage::messageId)
        .containsExactlyInAnyOrder("m3", "m4");
    assertThat(claim(ME)).isEmpty();
    advance(LEASE.minusSeconds(10));
    assertThat(claim(OTHER)).isEmpty();
    advance(Duration.ofSeconds(11));
    assertThat(claim(OTHER)).hasSize(5);
  }

  @Test
  @Spec({"IBX-031", "IBX-033", "IBX-038", "IBX-042", "IBX-047", "IBX-064"})
  default void aClaimTakesWhatIsToBeProcessedAndFreeAndNothingElse() {
    for (InboxStage stage : InboxStage.values()) {
      stage.reach(this, stage.name());
    }
    assertThat(claim(OTHER)).extracting(InboxMessage::messageId).containsExactly("WAITING");

    advance(Duration.ofDays(1));

    assertThat(claim(OTHER))
        .extracting(InboxMessage::messageId)
        .containsExactlyInAnyOrder("WAITING", "LEASED", "ABANDONED");
  }

  @Test
  default void aTransitionOfOneMessageLeavesItsNeighboursToTheirHolder() {
    InboxKey sameSource = new InboxKey("shop", "other");
    InboxKey sameId = new InboxKey("bank", KEY.messageId());
    for (InboxKey key : List.of(sameSource, KEY, sameId)) {
      enqueue(key, "{}");
    }
    assertThat(claim(ME)).hasSize(3);

    assertThat(work().ack(ME, held(KEY))).containsExactly(KEY);

    assertThat(owner(sameSource)).isEqualTo(ME.value());
    assertThat(owner(sameId)).isEqualTo(ME.value());
  }

  @Test
  @Spec("IBX-030")
  default void aClaimPassesOverWhatAnotherTransactionHasLocked() throws Exception {
    InboxKey free = new InboxKey("shop", "free");
    enqueue(KEY, "{}");
    enqueue(free, "{}");
    try (Connection connection = begun()) {
      inbox().receive(connection, inbound(KEY, "topic", "{}"));

      List<InboxMessage> claimed =
          CompletableFuture.supplyAsync(() -> claim(ME)).orTimeout(30, TimeUnit.SECONDS).join();

      assertThat(claimed).extracting(InboxMessage::key).containsExactly(free);
      connection.rollback();
    }
    assertThat(claimOnly(ME).key()).isEqualTo(KEY);
  }

  @Test
  @Spec({"IBX-039", "IBX-120"})
  default void aClaimOfOneAndOneOfAHundredTakeExactlySoMany() throws Exception {
    try (Connection connection = begun()) {
      for (int i = 0; i < 102; i++) {
        inbox().receive(connection, inbound(new InboxKey("shop", "m" + i), "topic", "{}"));
      }
      connection.commit();
    }

    assertThat(work().claim(ME, LEASE, 1)).hasSize(1);
    assertThat(work().claim(OTHER, LEASE, 100)).hasSize(100);
    assertThat(work().claim(ME, LEASE, 100)).hasSize(1);
  }

  @Test
  @Spec({"IBX-034", "IBX-119"})
  default void aLeaseOfTenSecondsAndOneOfFiveMinutesEndWhenTheyShould() {
    for (Duration lease : List.of(Duration.ofSeconds(10), Duration.ofSeconds(300))) {
      InboxKey key = new InboxKey("shop", lease.toString());
      enqueue(key, "{}");
      assertThat(work().claim(ME, lease, 1)).extracting(InboxMessage::key).containsExactly(key);

      advance(lease.minusSeconds(5));
      assertThat(claim(OTHER)).as("%s", lease).isEmpty();
      advance(Duration.ofSeconds(6));

      List<InboxMessage> after = claim(OTHER);
      assertThat(after).as("%s", lease).extracting(InboxMessage::key).containsExactly(key);
      work().ack(OTHER, after);
    }
  }

  @Test
  @Spec({"IBX-035", "IBXU-05"})
  default void aWorkerKeepsItsTokenForAllThatItEverClaims() {
    List<InboxMessage> early = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      InboxKey key = new InboxKey("shop", "m" + i);
      enqueue(key, "{}");
      early.add(claimOnly(ME));
      assertThat(owner(key)).isEqualTo(ME.value());
      advance(Duration.ofSeconds(10));
    }

    assertThat(early).allSatisfy(each -> assertThat(owner(each.key())).isEqualTo(ME.value()));
    assertThat(work().ack(OTHER, early)).isEmpty();
    assertThat(work().ack(ME, early)).hasSize(3);
  }

  @Test
  @Spec({"IBX-038", "IBX-044", "IBX-047", "IBX-049"})
  default void anAcknowledgedMessageIsDoneForGood() {
    enqueue(KEY, "{}");
    claimOnly(ME);

    assertThat(work().ack(ME, held(KEY))).containsExactly(KEY);

    assertThat(status(KEY)).isEqualTo(InboxStatus.DONE);
    assertThat(owner(KEY)).isNull();
    advance(PAST_LEASE);
    assertThat(claim(ME)).isEmpty();
    assertThat(inbox().alreadyProcessed(KEY, null)).isTrue();
  }

  @Test
  @Spec({"IBX-045", "IBX-046", "IBX-054", "IBX-055", "IBX-062", "IBX-063", "IBXU-03"})
  default void whatIsUnknownOrAnothersIsLeftAloneAndTwiceIsOnce() {
    enqueue(KEY, "{}");
    claimOnly(ME);
    InboxKey others = new InboxKey("shop", "others");
    enqueue(others, "{}");
    claimOnly(OTHER);
    List<InboxKey> theirs =
        List.of(others, new InboxKey("others", "message-1"), new InboxKey("shop", "unknown"));

    assertThat(work().ack(ME, held(theirs))).isEmpty();
    assertThat(work().abandon(ME, held(theirs))).isEmpty();
    assertThat(work().abandon(ME, held(theirs), "error", LEASE)).isEmpty();
    assertThat(work().fail(ME, held(theirs), "error")).isEmpty();
    assertThat(owner(others)).isEqualTo(OTHER.value());
    assertThat(stored(others).attempt()).isZero();
    assertThat(work().ack(ME, held(KEY, others, KEY))).containsExactly(KEY);
    assertThat(work().abandon(OTHER, held(others, others), null, LEASE)).containsExactly(others);
    assertThat(stored(others).attempt()).isEqualTo(1);
    advance(PAST_LEASE);
    claimOnly(OTHER);
    assertThat(work().fail(OTHER, held(others, others), "error")).containsExactly(others);
    assertThat(status(others)).isEqualTo(InboxStatus.DEAD);
  }

  @Test
  @Spec({"IBX-052", "IBX-057"})
  default void anErrorWithoutADelayIsKeptAndTheBackoffHolds() {
    enqueue(KEY, "{}");
    claimOnly(ME);

    assertThat(work().abandon(ME, held(KEY), "no route", null)).containsExactly(KEY);

    assertThat(stored(KEY).lastError()).isEqualTo("no route");
    advance(Duration.ofSeconds(1));
    assertThat(claim(ME)).isEmpty();
    advance(Duration.ofSeconds(2));
    assertThat(claimOnly(ME).attempt()).isEqualTo(1);
  }

  @Test
  @Spec({"IBX-060", "IBX-067"})
  default void anEmptyErrorIsOneToFailWith() {
    enqueue(KEY, "{}");
    claimOnly(ME);

    assertThat(work().fail(ME, held(KEY), "")).containsExactly(KEY);

    assertThat(status(KEY)).isEqualTo(InboxStatus.DEAD);
  }

  @Test
  @Spec({"IBX-042", "IBX-050", "IBX-051", "IBX-053", "IBX-056", "IBX-057", "IBXU-04"})
  default void anAbandonedMessageComesBackAfterItsDelay() {
    enqueue(KEY, "{}");
    claimOnly(ME);

    assertThat(work().abandon(ME, held(KEY), "no route", Duration.ofSeconds(100)))
        .containsExactly(KEY);

    assertThat(owner(KEY)).isNull();
    assertThat(stored(KEY).attempt()).isEqualTo(1);
    assertThat(stored(KEY).lastError()).isEqualTo("no route");
    assertThat(status(KEY)).isEqualTo(InboxStatus.PROCESSING);
    advance(Duration.ofSeconds(99));
    assertThat(claim(ME)).isEmpty();
    advance(Duration.ofSeconds(2));
    InboxMessage again = claimOnly(ME);
    assertThat(again.attempt()).isEqualTo(1);
    assertThat(again.lastError()).isEqualTo("no route");
    work().abandon(ME, held(KEY), "", Duration.ofSeconds(1));
    assertThat(stored(KEY).lastError()).isEqualTo("no route");
  }

  @Test
  @Spec({"IBX-052", "IBX-080", "IBX-081", "IBX-083", "IBX-084"})
  default void withoutADelayTheBackoffDoublesUntilTheLastAttempt() {
    enqueue(KEY, "{}");
    long[] seconds = {2, 4, 8, 16, 32, 60, 60, 60, 60};
    for (long delay : seconds) {
      claimOnly(ME);
      assertThat(work().abandon(ME, held(KEY))).containsExactly(KEY);
      advance(Duration.ofSeconds(delay - 1));
      assertThat(claim(ME)).isEmpty();
      advance(Duration.ofSeconds(2));
    }
    claimOnly(ME);
    assertThat(work().abandon(ME, held(KEY))).containsExactly(KEY);

    assertThat(status(KEY)).isEqualTo(InboxStatus.DEAD);
    assertThat(stored(KEY).attempt()).isEqualTo(10);
  }

  @Test
  @Spec({"IBX-060", "IBX-061", "IBX-064", "IBX-065"})
  default void aFailedMessageIsDeadWithItsError() {
    enqueue(KEY, "{}");
    claimOnly(ME);

    assertThat(work().fail(ME, held(KEY), "no such account")).containsExactly(KEY);

    assertThat(status(KEY)).isEqualTo(InboxStatus.DEAD);
    assertThat(stored(KEY).lastError()).isEqualTo("no such account");
    assertThat(owner(KEY)).isNull();
    advance(PAST_LEASE);
    assertThat(claim(ME)).isEmpty();
  }

  @Test
  @Spec({"IBX-068", "IBX-069", "IBX-070", "IBX-071", "IBX-112"})
  default void reapingFreesWhatHasRunOutAndNothingElse() {
    InboxKey held = new InboxKey("shop", "held");
    enqueue(held, "{}");
    assertThat(work().claim(OTHER, LEASE.multipliedBy(3), 1)).hasSize(1);
    List<InboxKey> keys = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      keys.add(new InboxKey("shop", "m" + i));
      enqueue(keys.get(i), "{}");
    }
    claim(ME);
    work().ack(ME, held(keys.subList(0, 1)));
    work().fail(ME, held(keys.subList(1, 2)), "broken");
    advance(PAST_LEASE);
    try (LogCapture log = LogCapture.of("outbox")) {
      assertThat(work().reapExpired()).isEqualTo(1);
      assertThat(log.infos()).anyMatch(line -> line.contains("expired leases cleared count=1"));
    }
    assertThat(owner(held)).isEqualTo(OTHER.value());
    assertThat(owner(keys.get(2))).isNull();
    assertThat(status(keys.get(0))).isEqualTo(InboxStatus.DONE);
    assertThat(status(keys.get(1))).isEqualTo(InboxStatus.DEAD);
    assertThat(claimOnly(OTHER).key()).isEqualTo(keys.get(2));
  }

  @Test
  @Spec("IBXU-10")
  default void reapingEndsAfterTheBatchInWhichItsThreadIsInterrupted() throws Exception {
    int messages = 1_001;
    try (Connection connection = begun()) {
      for (int i = 0; i < messages; i++) {
        inbox().receive(connection, inbound(new InboxKey("shop", "m" + i), "topic", "{}"));
      }
      connection.commit();
    }
    assertThat(work().claim(ME, LEASE, messages)).hasSize(messages);
    advance(PAST_LEASE);
    ConnectionProvider interrupting =
        () -> {
          Connection connection = connections().getConnection();
          Thread.currentThread().interrupt();
          return connection;
        };

    int reaped = Inbox.builder(interrupting, store()).buildWorkStore().reapExpired();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(reaped).isBetween(1, messages - 1);
    assertThat(work().reapExpired()).isEqualTo(messages - reaped);
  }

  @Test
  @Spec({"IBX-030", "IBX-103", "IBX-105", "IBX-106"})
  default void competingWorkersShareTheMessagesWithoutOverlap() throws Exception {
    int messages = 200;
    for (int i = 0; i < messages; i++) {
      enqueue(new InboxKey("shop", "m" + i), "{}");
    }
    ConcurrentLinkedQueue<InboxKey> handled = new ConcurrentLinkedQueue<>();
    List<Callable<Integer>> workers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      OwnerToken owner = OwnerToken.random();
      workers.add(() -> workOff(owner, handled));
    }
    ExecutorService executor = Executors.newFixedThreadPool(workers.size());
    try {
      for (Future<Integer> worker : executor.invokeAll(workers)) {
        worker.get();
      }
    } finally {
      executor.shutdownNow();
    }
    awaitTrue(() -> workOff(ME, handled) == 0);
    assertThat(handled).hasSize(messages).doesNotHaveDuplicates();
  }

  private int workOff(OwnerToken owner, ConcurrentLinkedQueue<InboxKey> handled) {
    int count = 0;
    for (List<InboxMessage> claimed = work().claim(owner, LEASE, 7);
        !claimed.isEmpty();
        claimed = work().claim(owner, LEASE, 7)) {
      claimed.forEach(message -> handled.add(message.key()));
      assertThat(work().ack(owner, claimed)).hasSameSizeAs(claimed);
      count += claimed.size();
    }
    return count;
  }
}

package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;

/** Claim, acknowledge, give back, end. */
interface WorkRules extends QueueUnderTest {

  @Test
  @Spec("OBXU-13")
  default void createdAtIsTheDatabasesWhicheverWayTheMessageCame() throws Exception {
    Map<String, Instant> seen = new ConcurrentHashMap<>();
    advance(Duration.ofDays(400));
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register(
                    OutboxHandler.of(
                        "topic",
                        (message, context) ->
                            seen.put(message.messageId().value(), message.createdAt()))));

    String hot = publish(client(dispatcher), "topic");
    awaitStatus(hot, EventStatus.DONE);
    String cold = store(EventEnvelope.ofJson("topic", "{}"));
    poller(dispatcher).poll();
    awaitStatus(cold, EventStatus.DONE);

    assertThat(seen.get(cold)).isEqualTo(row(cold).orElseThrow().createdAt());
    assertThat(seen.get(hot))
        .isCloseTo(row(hot).orElseThrow().createdAt(), within(1, ChronoUnit.MINUTES));
  }

  @Test
  @Spec({"OBX-014", "OBX-015", "OBX-016", "OBXU-04"})
  default void aClaimLeasesWhatItReturns() {
    MessageId id = outbox().enqueue("topic", "payload", facts -> facts.correlationId("trace")).id();
    Instant before = now();

    OutboxMessage message = claimOnly(ME);

    assertThat(message.id()).isEqualTo(id);
    assertThat(message.messageId()).isEqualTo(id);
    assertThat(message.topic()).isEqualTo("topic");
    assertThat(message.payload()).isEqualTo("payload");
    assertThat(message.correlationId()).isEqualTo("trace");
    assertThat(message.dueTime()).isNull();
    assertThat(message.retryCount()).isZero();
    assertThat(message.lastError()).isNull();
    assertThat(message.isProcessed()).isFalse();
    assertThat(message.processedAt()).isNull();
    assertThat(message.processedBy()).isNull();
    assertThat(message.createdAt()).isEqualTo(stored(id).createdAt());
    assertThat(message.lockedUntil())
        .isEqualTo(stored(id).availableAt())
        .isBetween(before.plus(LEASE), now().plus(LEASE));
    assertThat(stored(id).owner()).isEqualTo(ME.value());
  }

  @Test
  @Spec("OBXU-04")
  default void aMessageTellsItsDueTimeItsFailuresAndItsEnd() {
    Instant due = Instant.parse("2020-01-02T03:04:05.678901Z");
    MessageId id =
        outbox().enqueue("topic", "payload", facts -> facts.correlationId("trace").dueAt(due)).id();
    claimOnly(ME);
    outbox().abandon(ME, List.of(id), "busy", Duration.ZERO);
    claimOnly(ME);
    outbox().abandon(ME, List.of(id), "still busy", Duration.ZERO);

    OutboxMessage claimed = claimOnly(ME);

    assertThat(claimed.dueTime()).isEqualTo(due);
    assertThat(claimed.retryCount()).isEqualTo(2);
    assertThat(claimed.lastError()).isEqualTo("still busy");
    assertThat(claimed.isProcessed()).isFalse();
    OutboxMessage processed =
        new OutboxMessage(claimed.envelope(), due, 2, null, null, due.plusSeconds(1), "me");
    assertThat(processed.isProcessed()).isTrue();
    assertThat(processed.processedAt()).isEqualTo(due.plusSeconds(1));
    assertThat(processed.processedBy()).isEqualTo("me");
  }

  @Test
  @Spec({"OBX-013", "OBX-017", "OBX-020", "OBX-095"})
  default void aClaimTakesAtMostWhatItAskedForAndNothingThatIsLeased() {
    enqueue("topic", 5);

    List<OutboxMessage> first = outbox().claim(ME, LEASE, 3);
    List<OutboxMessage> second = outbox().claim(OTHER, LEASE, 3);

    assertThat(first).hasSize(3);
    assertThat(second).hasSize(2);
    assertThat(ids(first)).doesNotContainAnyElementsOf(ids(second));
    assertThat(claim(OTHER)).isEmpty();
    assertThat(claim(ME)).isEmpty();
  }

  @Test
  @Spec("OBX-111")
  default void aClaimOfOneToFiveHundredGetsExactlyAsManyAsItAskedFor() {
    enqueue("topic", 601);

    assertThat(outbox().claim(ME, LEASE, 1)).hasSize(1);
    assertThat(outbox().claim(ME, LEASE, 100)).hasSize(100);
    assertThat(outbox().claim(ME, LEASE, 500)).hasSize(500);
  }

  @Test
  @Spec("OBX-110")
  default void aClaimWithoutALeaseOrForNothingIsRefused() {
    for (Duration lease : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
      assertThatThrownBy(() -> outbox().claim(ME, lease, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("lease");
    }
    assertThatThrownBy(() -> outbox().claim(ME, LEASE, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("batchSize (0)");
  }

  @Test
  @Spec({"OBX-018", "OBX-021", "OBX-022", "OBX-023", "OBX-026"})
  default void anAcknowledgedMessageIsProcessedForGood() {
    MessageId id = enqueue("topic");
    claimOnly(ME);
    Instant before = now();

    assertThat(outbox().ack(ME, List.of(id))).containsExactly(id);

    assertThat(stored(id).status()).isEqualTo(EventStatus.DONE);
    assertThat(stored(id).doneAt()).isBetween(before, now());
    assertThat(stored(id).processedBy()).isEqualTo(ME.value());
    assertThat(stored(id).owner()).isNull();
    advance(PAST_LEASE);
    assertThat(claim(ME)).isEmpty();
    assertThat(outbox().ack(ME, List.of(id))).isEmpty();
  }

  @Test
  @Spec({"OBX-024", "OBX-025", "OBX-032", "OBX-033", "OBX-038", "OBX-039"})
  default void whatIsUnknownOrAnothersIsLeftAlone() {
    MessageId mine = enqueue("topic");
    claimOnly(ME);
    MessageId others = enqueue("topic");
    claimOnly(OTHER);
    MessageId free = enqueue("topic");
    List<MessageId> theirs = List.of(others, free, new MessageId("unknown"));
    Outbox outbox = outbox();

    assertThat(outbox.ack(ME, theirs)).isEmpty();
    assertThat(outbox.abandon(ME, theirs)).isEmpty();
    assertThat(outbox.abandon(ME, theirs, "error", Duration.ZERO)).isEmpty();
    assertThat(outbox.defer(ME, theirs, Duration.ZERO)).isEmpty();
    assertThat(outbox.release(ME, theirs)).isEmpty();
    assertThat(outbox.renew(ME, theirs, LEASE)).isEmpty();
    assertThat(outbox.fail(ME, theirs, "error")).isEmpty();
    assertThat(outbox.ack(ME, List.of())).isEmpty();

    assertThat(stored(others).owner()).isEqualTo(OTHER.value());
    assertThat(stored(others).attempts()).isZero();
    assertThat(stored(free).status()).isEqualTo(EventStatus.NEW);
    assertThat(outbox.ack(ME, List.of(others, mine, free, mine))).containsExactly(mine);
  }

  @Test
  default void aLateAckCountsUntilTheMessageIsTakenOrReaped() {
    List<MessageId> ids = enqueue("topic", 3);
    assertThat(claim(ME)).hasSize(3);
    advance(PAST_LEASE);

    assertThat(outbox().ack(ME, ids.subList(0, 1))).hasSize(1);
    assertThat(outbox().claim(OTHER, LEASE, 1)).hasSize(1);
    assertThat(outbox().reapExpired()).isEqualTo(1);
    assertThat(outbox().ack(ME, ids)).isEmpty();
  }

  @Test
  @Spec({"OBX-029", "OBX-030", "OBX-034", "OBX-035", "OBXU-03"})
  default void anAbandonedMessageComesBackAfterItsDelayWithItsError() {
    MessageId id = enqueue("topic");
    claimOnly(ME);

    assertThat(outbox().abandon(ME, List.of(id), "no route", Duration.ofSeconds(100)))
        .containsExactly(id);

    assertThat(stored(id).owner()).isNull();
    assertThat(stored(id).status()).isEqualTo(EventStatus.RETRY);
    advance(Duration.ofSeconds(99));
    assertThat(claim(ME)).isEmpty();
    advance(Duration.ofSeconds(2));
    OutboxMessage again = claimOnly(ME);
    assertThat(again.retryCount()).isEqualTo(1);
    assertThat(again.lastError()).isEqualTo("no route");
    outbox().abandon(ME, List.of(id), null, Duration.ZERO);
    assertThat(claimOnly(ME).lastError()).isEqualTo("no route");
  }

  @Test
  default void aDeferredMessageComesBackUncounted() {
    List<MessageId> ids = enqueue("topic", 2);
    claim(ME);

    assertThat(outbox().defer(ME, ids.subList(0, 1), Duration.ofSeconds(30)))
        .containsExactly(ids.get(0));
    assertThat(outbox().release(ME, ids.subList(1, 2))).containsExactly(ids.get(1));

    assertThat(ids(claim(OTHER))).containsExactly(ids.get(1));
    advance(Duration.ofSeconds(31));
    OutboxMessage later = claimOnly(OTHER);
    assertThat(later.id()).isEqualTo(ids.get(0));
    assertThat(later.retryCount()).isZero();
    assertThatThrownBy(() -> outbox().defer(ME, ids, Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("delay");
  }

  @Test
  default void aRenewedLeaseRunsFromNowOn() {
    MessageId id = enqueue("topic");
    claimOnly(ME);
    advance(LEASE.minusSeconds(10));

    assertThat(outbox().renew(ME, List.of(id), LEASE)).containsExactly(id);

    advance(LEASE.minusSeconds(10));
    assertThat(claim(OTHER)).isEmpty();
    advance(Duration.ofSeconds(20));
    assertThat(claim(OTHER)).hasSize(1);
  }

  @Test
  @Spec({"OBX-019", "OBX-036", "OBX-037", "OBX-042", "OBXU-03"})
  @SuppressWarnings("NullAway")
  default void aFailedMessageIsKeptAndNeverClaimedAgain() {
    MessageId id = enqueue("topic");
    claimOnly(ME);
    assertThatThrownBy(() -> outbox().fail(ME, List.of(id), null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("error");

    assertThat(outbox().fail(ME, List.of(id), "x".repeat(3_999) + "😀")).containsExactly(id);

    assertThat(stored(id).status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored(id).lastError()).isEqualTo("x".repeat(3_999));
    advance(PAST_LEASE);
    assertThat(claim(ME)).isEmpty();
  }

  @Test
  @Spec({"OBX-043", "OBX-044", "OBX-045", "OBX-046"})
  default void reapingFreesWhatHasRunOutAndNothingElse() {
    List<MessageId> ids = enqueue("topic", 4);
    claim(ME);
    outbox().ack(ME, ids.subList(0, 1));
    outbox().fail(ME, ids.subList(1, 2), "broken");
    outbox().renew(ME, ids.subList(2, 3), Duration.ofHours(1));
    advance(PAST_LEASE);

    assertThat(outbox().reapExpired()).isEqualTo(1);
    assertThat(outbox().reapExpired()).isZero();

    assertThat(stored(ids.get(0)).status()).isEqualTo(EventStatus.DONE);
    assertThat(stored(ids.get(1)).status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored(ids.get(2)).owner()).isEqualTo(ME.value());
    assertThat(stored(ids.get(3)).owner()).isNull();
    assertThat(ids(claim(OTHER))).containsExactly(ids.get(3));
  }

  @Test
  @Spec("OBX-043")
  default void reapingFreesAllThatHasRunOutHoweverManyThatAre() {
    int leased = 1_001;
    enqueue("topic", leased);
    assertThat(outbox().claim(ME, LEASE, leased)).hasSize(leased);
    advance(PAST_LEASE);

    assertThat(outbox().reapExpired()).isEqualTo(leased);
  }

  @Test
  @Spec("OBX-021")
  default void aRowLockedForAMomentIsAcknowledgedAfterIt() throws Exception {
    MessageId id = enqueue("topic");
    claimOnly(ME);
    CountDownLatch tried = new CountDownLatch(1);
    CountDownLatch unlocked = new CountDownLatch(1);
    AtomicInteger taken = new AtomicInteger();
    ConnectionProvider connectionsOfWorker =
        () -> {
          if (taken.incrementAndGet() == 2) {
            tried.countDown();
            awaitTrue(() -> unlocked.getCount() == 0);
          }
          return connections().getConnection();
        };
    Outbox worker = OutboxBuilder.of(connectionsOfWorker, store()).build();
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      store().renew(connection, ME.value(), List.of(id.value()), LEASE);
      Future<Set<MessageId>> acked = executor.submit(() -> worker.ack(ME, List.of(id)));
      assertThat(tried.await(60, TimeUnit.SECONDS)).isTrue();
      connection.rollback();
      unlocked.countDown();

      assertThat(acked.get()).containsExactly(id);
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  @Spec({"OBX-011", "OBX-094", "OBX-095", "OBXU-06"})
  default void competingWorkersShareTheMessagesWithoutOverlap() throws Exception {
    int workers = 4;
    int messages = 400;
    enqueue("topic", messages);
    ConcurrentLinkedQueue<MessageId> handled = new ConcurrentLinkedQueue<>();
    List<Callable<Integer>> work = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      OwnerToken owner = OwnerToken.random();
      work.add(() -> workOff(owner, handled));
    }
    ExecutorService executor = Executors.newFixedThreadPool(workers);
    try {
      for (Future<Integer> done : executor.invokeAll(work)) {
        done.get();
      }
    } finally {
      executor.shutdownNow();
    }

    awaitTrue(() -> workOff(ME, handled) == 0);
    assertThat(handled).hasSize(messages).doesNotHaveDuplicates();
  }

  private int workOff(OwnerToken owner, ConcurrentLinkedQueue<MessageId> handled) {
    int count = 0;
    List<OutboxMessage> claimed = outbox().claim(owner, LEASE, 7);
    while (!claimed.isEmpty()) {
      handled.addAll(ids(claimed));
      assertThat(outbox().ack(owner, ids(claimed))).hasSameSizeAs(claimed);
      count += claimed.size();
      claimed = outbox().claim(owner, LEASE, 7);
    }
    return count;
  }

  @Test
  default void aThousandMessagesCostAHandfulOfTransactions() {
    AtomicInteger taken = new AtomicInteger();
    Outbox outbox =
        OutboxBuilder.of(
                () -> {
                  taken.incrementAndGet();
                  return connections().getConnection();
                },
                store())
            .build();

    outbox.enqueueAll(
        IntStream.range(0, 1000).mapToObj(i -> EventEnvelope.ofJson("topic", "{}")).toList());
    List<MessageId> claimed = ids(outbox.claim(ME, LEASE, 1000));
    assertThat(outbox.ack(ME, claimed)).hasSize(1000);

    assertThat(taken).hasValue(3);
  }

  @Test
  @Spec({"OBX-002", "OBX-091"})
  default void connectionsThatDoNotAutoCommitServeAsWell() throws Exception {
    Outbox outbox =
        OutboxBuilder.of(
                () -> {
                  Connection connection = connections().getConnection();
                  connection.setAutoCommit(false);
                  return connection;
                },
                store())
            .build();

    MessageId id = outbox.enqueue(EventEnvelope.ofJson("topic", "{}")).id();

    assertThat(ids(outbox.claim(ME, LEASE, 10))).containsExactly(id);
    assertThat(outbox.abandon(ME, List.of(id))).containsExactly(id);
    assertThat(stored(id).status()).isEqualTo(EventStatus.RETRY);
  }
}

package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.contracts.inbox.InboxUnderTest.bytes;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.ReceiveResult;
import outbox.inbox.ReceiveResult.Kind;

/** What comes in, and how it is recognised when it comes again. */
interface InboxIntakeRules extends InboxUnderTest {

  /** By the database's clock, which is not that of this process here. */
  @Test
  @Spec({"IBX-001", "IBX-013", "IBX-025", "IBX-027", "IBXU-06"})
  default void aNewMessageIsStoredToBeHandledWhicheverCallBringsIt() throws SQLException {
    advance(Duration.ofHours(3));
    for (InboxWayIn way : InboxWayIn.values()) {
      if (!way.isReceive() && !way.isEnqueue()) {
        continue;
      }
      InboxKey key = new InboxKey("shop", way.name());
      Instant before = now();

      way.bring(this, InboundMessage.of(key, "order.created", "{\"a\":1}").withHash(bytes("hash")));

      InboxMessage stored = stored(key);
      assertThat(stored.status()).as("%s", way).isEqualTo(InboxStatus.PROCESSING);
      assertThat(stored.source()).as("%s", way).isEqualTo("shop");
      assertThat(stored.messageId()).as("%s", way).isEqualTo(way.name());
      assertThat(stored.topic()).as("%s", way).isEqualTo("order.created");
      assertThat(stored.payload()).as("%s", way).isEqualTo("{\"a\":1}");
      assertThat(stored.hash()).as("%s", way).isEqualTo(bytes("hash"));
      assertThat(stored.attempt()).as("%s", way).isZero();
      assertThat(stored.contentVersion()).as("%s", way).isEqualTo(1);
      assertThat(stored.firstSeen()).as("%s", way).isBetween(before, now());
      assertThat(stored.lastSeen()).as("%s", way).isBetween(stored.firstSeen(), now());
      assertThat(stored.dueTime()).as("%s", way).isNull();
      assertThat(stored.lastError()).as("%s", way).isNull();
      assertThat(claimOnly(ME).key()).as("%s", way).isEqualTo(key);
    }
    assertThat(inbox().receive(new InboxKey("shop", "message-1"), "order.created", "{}"))
        .isEqualTo(new ReceiveResult(Kind.NEW, false));
    assertThat(work().get(new InboxKey("shop", "unknown"))).isEmpty();
  }

  @Test
  default void headersGoWithTheContentThatTheyCameWith() {
    InboundMessage first = InboundMessage.of(KEY, "order.created", "{}");
    inbox().receive(first.withHeaders(Map.of("traceparent", "00-a")));
    assertThat(claimOnly(ME).headers()).containsExactly(Map.entry("traceparent", "00-a"));

    inbox().receive(first.withHeaders(Map.of("traceparent", "00-b")));
    assertThat(stored(KEY).headers()).containsExactly(Map.entry("traceparent", "00-a"));

    inbox().enqueue(first.withHeaders(Map.of("traceparent", "00-c")));
    assertThat(stored(KEY).headers()).containsExactly(Map.entry("traceparent", "00-c"));

    InboxKey seen = new InboxKey("shop", "message-2");
    inbox().alreadyProcessed(seen, null);
    inbox()
        .receive(
            InboundMessage.of(seen, "order.created", "{}").withHeaders(Map.of("tenant", "acme")));
    assertThat(stored(seen).headers()).containsExactly(Map.entry("tenant", "acme"));
  }

  @Test
  default void aSenderCannotSpeakForTheInbox() {
    InboundMessage forged =
        InboundMessage.of(KEY, "order.created", "{}").withHeaders(Map.of("inbox.version", "x"));

    inbox().receive(forged);

    assertThat(stored(KEY).contentVersion()).isEqualTo(1);
    assertThat(stored(KEY).headers()).containsExactly(Map.entry("inbox.version", "x"));
  }

  @Test
  @Spec("IBX-001")
  default void equalIdsOfTwoSourcesDoNotMeetNorDoThoseThatDifferInCaseOrBlanks() {
    List<InboxKey> keys =
        List.of(
            new InboxKey("a", "1"),
            new InboxKey("b", "1"),
            new InboxKey("A", "1"),
            new InboxKey("a", "1 "),
            new InboxKey("a ", "1"),
            new InboxKey("ä", "1"),
            new InboxKey("a", "x"),
            new InboxKey("a", "X"));

    assertThat(keys).allSatisfy(key -> assertThat(receive(key, "{}").isNew()).isTrue());
    assertThat(keys).noneSatisfy(key -> assertThat(receive(key, "{}").isNew()).isTrue());
    assertThat(claim(ME)).extracting(InboxMessage::key).containsExactlyInAnyOrderElementsOf(keys);
    work().ack(ME, held(new InboxKey("a", "1")));
    inbox().markDead(new InboxKey("A", "1"));
    assertThat(status(new InboxKey("a", "1"))).isEqualTo(InboxStatus.DONE);
    assertThat(status(new InboxKey("b", "1"))).isEqualTo(InboxStatus.PROCESSING);
    assertThat(keys)
        .filteredOn(key -> inbox().alreadyProcessed(key, null))
        .containsExactly(new InboxKey("a", "1"));
  }

  @Test
  @Spec({"IBX-021", "IBX-029"})
  default void topicsThatDifferInCaseAreTwo() {
    inbox().enqueue(InboundMessage.of(new InboxKey("shop", "message-1"), "Order.Created", "{}"));
    inbox().enqueue(InboundMessage.of(new InboxKey("shop", "message-2"), "order.created", "{}"));
    assertThat(claim(ME))
        .extracting(InboxMessage::topic)
        .containsExactlyInAnyOrder("Order.Created", "order.created");

    inbox().enqueue(InboundMessage.of(new InboxKey("shop", "message-1"), "order.created", "{}"));

    assertThat(stored(KEY).topic()).isEqualTo("order.created");
    assertThat(stored(KEY).contentVersion()).isEqualTo(2);
  }

  @Test
  default void receiveSaysWhatBecameOfADuplicate() {
    receive(KEY, "{}");
    assertThat(receive(KEY, "{}").kind()).isEqualTo(Kind.DUPLICATE);
    claimOnly(ME);
    assertThat(receive(KEY, "{}").kind()).isEqualTo(Kind.DUPLICATE);
    work().ack(ME, held(KEY));
    assertThat(receive(KEY, "{}").kind()).isEqualTo(Kind.DONE);

    InboxKey second = new InboxKey("shop", "message-2");
    receive(second, "{}");
    inbox().markDead(second);
    assertThat(receive(second, "{}").kind()).isEqualTo(Kind.DEAD);
    assertThat(claim(ME)).isEmpty();
  }

  @Test
  @Spec("IBX-008")
  default void receiveNeverChangesContentAndReportsADifference() {
    inbox()
        .receive(
            InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "first")
                .withHash(bytes("one")));

    assertThat(
            inbox()
                .receive(
                    InboundMessage.of(new InboxKey("shop", "message-1"), "other", "second")
                        .withHash(bytes("two"))))
        .isEqualTo(new ReceiveResult(Kind.DUPLICATE, true));
    assertThat(
            inbox()
                .receive(
                    InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "first")
                        .withHash(bytes("one"))))
        .isEqualTo(new ReceiveResult(Kind.DUPLICATE, false));
    assertThat(
            inbox().receive(new InboxKey("shop", "message-1"), "topic", "first").contentDiffers())
        .isFalse();
    assertThat(
            inbox().receive(new InboxKey("shop", "message-1"), "topic", "second").contentDiffers())
        .isTrue();

    InboxMessage stored = stored(KEY);
    assertThat(stored.topic()).isEqualTo("topic");
    assertThat(stored.payload()).isEqualTo("first");
    assertThat(stored.hash()).isEqualTo(bytes("one"));
    assertThat(stored.contentVersion()).isEqualTo(1);
  }

  @Test
  @Spec({"IBX-008", "IBX-107"})
  default void anotherHashOnEnqueueIsWarnedOfToo() {
    inbox()
        .enqueue(
            InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "first")
                .withHash(bytes("one")));
    try (LogCapture log = LogCapture.of("outbox")) {
      inbox()
          .enqueue(
              InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "first")
                  .withHash(bytes("one")));
      inbox()
          .enqueue(
              InboundMessage.of(new InboxKey("shop", "message-2"), "topic", "new")
                  .withHash(bytes("two")));
      inbox().enqueue(InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "first"));
      inbox()
          .enqueue(
              InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "first")
                  .withHash(bytes("one")));
      assertThat(log.warnings()).isEmpty();

      inbox()
          .enqueue(
              InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "second")
                  .withHash(bytes("two")));

      assertThat(log.warnings())
          .singleElement()
          .asString()
          .contains("this one is stored", "messageId=message-1");
    }
    assertThat(stored(KEY).payload()).isEqualTo("second");
    assertThat(stored(KEY).hash()).isEqualTo(bytes("two"));
  }

  @Test
  @Spec("IBX-008")
  default void anotherHashOnEnqueueOfAMessageThatIsDoneIsWarnedOfAndChangesNothing() {
    inbox()
        .enqueue(
            InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "first")
                .withHash(bytes("one")));
    inbox().markProcessed(KEY);
    try (LogCapture log = LogCapture.of("outbox")) {
      inbox()
          .enqueue(
              InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "second")
                  .withHash(bytes("two")));

      assertThat(log.warnings()).singleElement().asString().contains("what is stored stays");
    }
    assertThat(stored(KEY).payload()).isEqualTo("first");
    assertThat(stored(KEY).hash()).isEqualTo(bytes("one"));
  }

  @Test
  @Spec("IBXU-02")
  default void aMessageCanBeEnqueuedForLaterWithoutAHash() {
    Instant later = now().plusSeconds(60);

    inbox()
        .enqueue(
            InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "{}").withDueTime(later));

    assertThat(claim(ME)).isEmpty();
    assertThat(stored(KEY).hash()).isNull();
    assertThat(stored(KEY).dueTime()).isEqualTo(later);
    advance(Duration.ofSeconds(61));
    assertThat(claimOnly(ME).payload()).isEqualTo("{}");
  }

  @Test
  default void anEmptyPayloadIsAContentToo() {
    receive(KEY, "");

    assertThat(receive(KEY, "")).isEqualTo(new ReceiveResult(Kind.DUPLICATE, false));
    assertThat(receive(KEY, " ")).isEqualTo(new ReceiveResult(Kind.DUPLICATE, true));
    work().ack(ME, List.of(claimOnly(ME)));
    assertThat(receive(KEY, "more")).isEqualTo(new ReceiveResult(Kind.DONE, true));
  }

  @Test
  default void receiveGivesAMessageThatWasOnlySeenItsContent() {
    inbox().alreadyProcessed(new InboxKey("shop", "message-1"), bytes("one"));

    assertThat(
            inbox()
                .receive(
                    InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "{}")
                        .withHash(bytes("one"))))
        .isEqualTo(new ReceiveResult(Kind.NEW, false));

    assertThat(claimOnly(ME).payload()).isEqualTo("{}");
    assertThat(stored(KEY).contentVersion()).isEqualTo(1);
  }

  @Test
  @Spec("IBX-007")
  default void theHashIsThatOfTheContentThatIsStored() {
    inbox().alreadyProcessed(KEY, bytes("one"));

    assertThat(
            inbox()
                .receive(
                    InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "{}")
                        .withHash(bytes("two"))))
        .isEqualTo(new ReceiveResult(Kind.NEW, true));

    assertThat(stored(KEY).hash()).isEqualTo(bytes("two"));
    assertThat(
            inbox()
                .receive(
                    InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "{}")
                        .withHash(bytes("two"))))
        .isEqualTo(new ReceiveResult(Kind.DUPLICATE, false));
  }

  @Test
  @Spec("IBX-008")
  default void payloadsAreComparedWhereOnlyOneSideHasAHash() {
    inbox().receive(new InboxKey("shop", "message-1"), "topic", "first");

    assertThat(
            inbox()
                .receive(
                    InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "second")
                        .withHash(bytes("two"))))
        .isEqualTo(new ReceiveResult(Kind.DUPLICATE, true));
    assertThat(
            inbox()
                .receive(
                    InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "first")
                        .withHash(bytes("one"))))
        .isEqualTo(new ReceiveResult(Kind.DUPLICATE, false));
    assertThat(stored(KEY).hash()).isNull();
  }

  @Test
  @Spec({"IBX-023", "IBX-032"})
  default void whatWasOnlySeenWaitsForTheDueTimeOfItsContent() {
    InboxKey enqueued = new InboxKey("shop", "message-2");
    inbox().alreadyProcessed(KEY, null);
    inbox().alreadyProcessed(enqueued, null);
    Instant due = now().plusSeconds(100).truncatedTo(ChronoUnit.MICROS);

    inbox().receive(InboundMessage.of(KEY, "topic", "{}").withDueTime(due));
    enqueueDue(enqueued, "{}", due);

    assertThat(claim(ME)).isEmpty();
    assertThat(stored(KEY).dueTime()).isEqualTo(due);
    assertThat(stored(enqueued).dueTime()).isEqualTo(due);
    advance(Duration.ofSeconds(101));
    assertThat(claim(ME)).hasSize(2);
  }

  @Test
  @Spec("IBX-007")
  default void aHashThatComesLaterIsKept() {
    inbox().alreadyProcessed(KEY, null);
    inbox().alreadyProcessed(KEY, bytes("one"));

    assertThat(stored(KEY).hash()).isEqualTo(bytes("one"));
  }

  @Test
  default void aMessageBegunByHandIsHandledOnceItIsReceived() {
    inbox().alreadyProcessed(KEY, null);
    inbox().markProcessing(KEY);

    assertThat(receive(KEY, "{}")).isEqualTo(new ReceiveResult(Kind.NEW, false));

    assertThat(claimOnly(ME).payload()).isEqualTo("{}");
    assertThat(stored(KEY).contentVersion()).isEqualTo(1);
    assertThat(receive(KEY, "{}").kind()).isEqualTo(Kind.DUPLICATE);
  }

  @Test
  @Spec({"IBX-023", "IBX-032"})
  default void aReceivedMessageWaitsForItsDueTime() {
    inbox().receive(InboundMessage.of(KEY, "topic", "{}").withDueTime(now().plusSeconds(100)));

    assertThat(claim(ME)).isEmpty();
    advance(Duration.ofSeconds(101));
    assertThat(claimOnly(ME).dueTime()).isNotNull();
  }

  @Test
  @Spec({"IBX-002", "IBX-003", "IBX-004", "IBX-005", "IBX-007", "IBX-026"})
  default void alreadyProcessedRemembersWhatItSawAndKnowsWhatIsDone() {
    assertThat(inbox().alreadyProcessed(new InboxKey("shop", "message-1"), bytes("one"))).isFalse();
    InboxMessage seen = stored(KEY);
    assertThat(seen.status()).isEqualTo(InboxStatus.SEEN);
    assertThat(seen.hash()).isEqualTo(bytes("one"));

    advance(Duration.ofSeconds(5));
    assertThat(inbox().alreadyProcessed(new InboxKey("shop", "message-1"), null)).isFalse();
    assertThat(stored(KEY).lastSeen()).isAfterOrEqualTo(seen.lastSeen().plusSeconds(4));
    assertThat(stored(KEY).firstSeen()).isEqualTo(seen.firstSeen());

    assertThat(inbox().markProcessed(new InboxKey("shop", "message-1"))).isTrue();
    assertThat(inbox().alreadyProcessed(new InboxKey("shop", "message-1"), null)).isTrue();
    assertThat(inbox().alreadyProcessed(new InboxKey("another shop", "message-1"), null)).isFalse();
  }

  @Test
  @Spec({"IBX-008", "IBX-107", "IBX-127"})
  default void anotherHashIsWarnedOfAndChangesNothing() {
    inbox().alreadyProcessed(KEY, bytes("one"));
    try (LogCapture log = LogCapture.of("outbox")) {
      assertThat(inbox().alreadyProcessed(KEY, bytes("one"))).isFalse();
      assertThat(log.warnings()).isEmpty();

      assertThat(inbox().alreadyProcessed(KEY, bytes("two"))).isFalse();

      assertThat(log.warnings()).singleElement().asString().contains("messageId=message-1");
      inbox().markProcessed(KEY);
      inbox().alreadyProcessed(KEY, null);
      assertThat(log.debugs())
          .filteredOn(line -> line.contains("checked"))
          .extracting(line -> line.substring(line.indexOf("checked")).strip())
          .containsExactly(
              "checked processed=false source=shop messageId=message-1",
              "checked processed=false source=shop messageId=message-1",
              "checked processed=true source=shop messageId=message-1");
    }
    assertThat(stored(KEY).hash()).isEqualTo(bytes("one"));
  }

  @Test
  @Spec({"IBX-006", "IBX-014", "IBX-105"})
  default void ofManyDeliveriesAtOnceExactlyOneIsNew() throws Exception {
    int messages = 40;
    List<Callable<Long>> senders = new ArrayList<>();
    for (int sender = 0; sender < 4; sender++) {
      int first = sender;
      senders.add(
          () -> {
            long fresh = 0;
            for (int i = 0; i < messages; i++) {
              InboxKey key = new InboxKey("shop", "m" + i);
              if (first == 1) {
                inbox().alreadyProcessed(key, null);
              }
              fresh += receive(key, "{}").isNew() ? 1 : 0;
            }
            return fresh;
          });
    }
    ExecutorService executor = Executors.newFixedThreadPool(senders.size());
    try {
      long fresh = 0;
      for (Future<Long> sender : executor.invokeAll(senders)) {
        fresh += sender.get();
      }
      assertThat(fresh).isEqualTo(messages);
    } finally {
      executor.shutdownNow();
    }
    assertThat(claim(ME)).hasSize(messages);
  }

  @Test
  @Spec({"IBX-006", "IBX-014"})
  default void ofManyWhoBringTheContentOfWhatWasSeenExactlyOneIsNew() throws Exception {
    int messages = 30;
    int senders = 4;
    for (int i = 0; i < messages; i++) {
      inbox().alreadyProcessed(new InboxKey("shop", "m" + i), null);
    }
    CyclicBarrier together = new CyclicBarrier(senders);
    ExecutorService executor = Executors.newFixedThreadPool(senders);
    try {
      List<Future<Long>> all = new ArrayList<>();
      for (int sender = 0; sender < senders; sender++) {
        all.add(executor.submit(() -> receiveAll(messages, together)));
      }
      long fresh = 0;
      for (Future<Long> each : all) {
        fresh += each.get();
      }
      assertThat(fresh).isEqualTo(messages);
    } finally {
      executor.shutdownNow();
    }
  }

  private long receiveAll(int messages, CyclicBarrier together) throws Exception {
    long fresh = 0;
    for (int i = 0; i < messages; i++) {
      together.await(60, TimeUnit.SECONDS);
      fresh += receive(new InboxKey("shop", "m" + i), "{}").isNew() ? 1 : 0;
    }
    return fresh;
  }

  /** Half of the senders look whether a message is known while the others enqueue it. */
  @Test
  @Spec({"IBX-006", "IBX-014"})
  default void nobodyWhoBringsAMessageAtTheSameTimeAsOthersFails() throws Exception {
    int messages = 20;
    int senders = 4;
    CyclicBarrier together = new CyclicBarrier(senders);
    ExecutorService executor = Executors.newFixedThreadPool(senders);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int sender = 0; sender < senders; sender++) {
        boolean enqueues = sender % 2 == 0;
        all.add(executor.submit(() -> bringAll(messages, enqueues, together)));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(claim(ME))
        .extracting(InboxMessage::messageId)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, messages).mapToObj(i -> "m" + i).toList());
  }

  private boolean bringAll(int messages, boolean enqueues, CyclicBarrier together)
      throws Exception {
    for (int i = 0; i < messages; i++) {
      InboxKey key = new InboxKey("shop", "m" + i);
      together.await(60, TimeUnit.SECONDS);
      if (enqueues) {
        inbox().enqueue(InboundMessage.of(key, "topic", "{}").withHash(bytes("hash")));
      } else {
        assertThat(inbox().alreadyProcessed(key, bytes("hash"))).isFalse();
      }
    }
    return true;
  }

  @Test
  @Spec({"IBX-108", "IBX-113", "IBX-127"})
  default void intakeIsLoggedWithItsIdentityAndNeverWithItsContent() {
    try (LogCapture log = LogCapture.of("outbox")) {
      Inbox named = Inbox.builder(connections(), store()).storeName("shop-7").build();
      named.enqueue(InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "secret"));
      named.receive(new InboxKey("shop", "message-2"), "topic", "secret");

      assertThat(log.debugs())
          .anyMatch(
              line ->
                  line.contains("inbound enqueued")
                      && line.contains("topic=topic source=shop messageId=message-1 store=shop-7"))
          .anyMatch(line -> line.contains("inbound received as new"));
      assertThat(log.all()).noneMatch(line -> line.contains("secret"));
    }
  }

  @Test
  @Spec("IBX-108")
  default void whatASenderWritesNeverEndsALineOfTheLog() {
    String forged = "1\nSEVERE: forged";
    try (LogCapture log = LogCapture.of("outbox")) {
      inbox()
          .receive(
              InboundMessage.of(new InboxKey(forged, forged), forged, "{}").withHash(bytes("one")));
      inbox()
          .receive(
              InboundMessage.of(new InboxKey(forged, forged), forged, "{}").withHash(bytes("two")));
      inbox().alreadyProcessed(new InboxKey(forged, forged), bytes("two"));

      assertThat(log.all())
          .noneMatch(line -> line.contains(forged))
          .anyMatch(line -> line.contains("messageId=1\\u000aSEVERE: forged"));
    }
  }

  private ReceiveResult receive(InboxKey key, String payload) {
    return inbox().receive(inbound(key, "topic", payload));
  }
}

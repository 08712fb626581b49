package outbox.contracts.inbox;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.contracts.inbox.InboxUnderTest.bytes;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.Halt;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.TransactionalInboxHandler;
import outbox.poller.OutboxPoller;

/** Which handler gets a message, and what becomes of the message by it. */
interface InboxHandlerRules extends InboxEngineUnderTest {

  /** By an engine that looks for nothing. */
  @Test
  default void whatIsReceivedIsHandledFromMemoryUnderTheLeaseOfItsInsert() throws Exception {
    List<InboxMessage> handled = new CopyOnWriteArrayList<>();
    Halt halt = new Halt();
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store().events())
                .listeners(
                    new InboxHandlers()
                        .register(
                            InboxHandler.of(
                                "topic",
                                (message, context) -> {
                                  handled.add(message);
                                  halt.reach();
                                })))
                .build());
    Inbox hot = Inbox.builder(connections(), store()).hotPath(dispatcher, metrics).build();
    InboundMessage sent =
        InboundMessage.of(KEY, "topic", "{\"a\":1}")
            .withHash(bytes("hash"))
            .withHeaders(Map.of("trace", "1"));

    assertThat(hot.receive(sent).isNew()).isTrue();

    awaitTrue(() -> !handled.isEmpty());
    assertThat(owner(KEY)).as("the owner while it is handled").isNotNull();
    assertThat(claim(OTHER)).as("what others get of it").isEmpty();
    assertThat(work().get(KEY).orElseThrow().status()).isEqualTo(InboxStatus.PROCESSING);
    InboxMessage stored = stored(KEY);
    assertThat(hot.receive(sent).isNew()).isFalse();
    halt.release();
    awaitStatus(KEY, InboxStatus.DONE);
    assertThat(handled)
        .singleElement()
        .usingRecursiveComparison()
        .ignoringFields("firstSeen", "lastSeen")
        .isEqualTo(stored);
    assertThat(metrics.hotEnqueued()).isEqualTo(1);
    assertThat(metrics.hotDropped()).isZero();
  }

  @Test
  default void whatWasSeenBeforeOrWhoseCommitIsNotSeenIsLeftToThePoller() throws Exception {
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store().events())
                .listeners(
                    new InboxHandlers().register(InboxHandler.of("topic", (message, c) -> {})))
                .build());
    Inbox hot = Inbox.builder(connections(), store()).hotPath(dispatcher, metrics).build();
    InboxKey unseen = new InboxKey("shop", "unseen commit");
    hot.alreadyProcessed(KEY, null);

    assertThat(hot.receive(InboundMessage.of(KEY, "topic", "{}")).isNew()).isTrue();
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      hot.receive(connection, InboundMessage.of(unseen, "topic", "{}"));
      connection.commit();
    }

    for (InboxKey key : List.of(KEY, unseen)) {
      assertThat(owner(key)).isNull();
      assertThat(stored(key).status()).isEqualTo(InboxStatus.PROCESSING);
    }
    assertThat(metrics.hotEnqueued()).isZero();
  }

  @Test
  @Spec({"IBX-021", "IBX-073", "IBX-076", "IBX-110", "IBXU-07"})
  default void aHandlerGetsTheWholeMessageOfItsTopic() {
    List<InboxMessage> handled = new CopyOnWriteArrayList<>();
    List<InboxMessage> others = new CopyOnWriteArrayList<>();
    AtomicBoolean cancelled = new AtomicBoolean(true);
    InboundMessage sent =
        InboundMessage.of(KEY, "order.created", "{\"a\":1}")
            .withHash(bytes("hash"))
            .withDueTime(now().minusSeconds(9))
            .withHeaders(Map.of("trace", "1"));
    advance(Duration.ofSeconds(-5));
    inbox().receive(sent);
    advance(Duration.ofSeconds(5));
    inbox().receive(sent);
    claimOnly(ME);
    work().abandon(ME, held(KEY), "no route", Duration.ofMillis(1));
    InboxMessage stored = stored(KEY);
    assertThat(stored.lastSeen()).isAfter(stored.firstSeen());
    try (LogCapture log = LogCapture.of("outbox")) {
      start(
          InboxHandler.of(
              "order.created",
              (message, context) -> {
                cancelled.set(context.isCancelled());
                handled.add(message);
              }),
          InboxHandler.of("Order.Created", (message, context) -> others.add(message)));

      awaitStatus(KEY, InboxStatus.DONE);
      assertThat(log.debugs())
          .anyMatch(
              line ->
                  line.contains("handling topic=order.created source=shop messageId=message-1"));
    }
    assertThat(others).isEmpty();
    assertThat(cancelled).isFalse();
    assertThat(handled).singleElement().usingRecursiveComparison().isEqualTo(stored);
  }

  @Test
  @Spec("IBX-076")
  default void aHandlerIsToldWhenItsMessageIsTakenFromIt() throws Exception {
    CountDownLatch running = new CountDownLatch(2);
    CountDownLatch told = new CountDownLatch(2);
    start(
        store().events(),
        new InboxHandlers()
            .register(
                InboxHandler.of("plain", (message, context) -> awaitCancel(context, running, told)))
            .register(
                new TransactionalInboxHandler() {
                  @Override
                  public String topic() {
                    return "transactional";
                  }

                  @Override
                  public HandlerResult handle(
                      InboxMessage message, HandlerContext context, Connection connection)
                      throws Exception {
                    awaitCancel(context, running, told);
                    return HandlerResult.done();
                  }
                }));
    inbox().enqueue(InboundMessage.of(new InboxKey("shop", "plain"), "plain", "{}"));
    inbox()
        .enqueue(InboundMessage.of(new InboxKey("shop", "transactional"), "transactional", "{}"));
    assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(told.getCount()).isEqualTo(2);

    inbox().markDead(new InboxKey("shop", "plain"));
    inbox().markDead(new InboxKey("shop", "transactional"));

    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private static void awaitCancel(
      HandlerContext context, CountDownLatch running, CountDownLatch told) throws Exception {
    context.onCancel(told::countDown);
    running.countDown();
    told.await();
  }

  @Test
  @Spec({"IBX-075", "IBX-083", "IBX-111", "IBX-127"})
  default void whatAHandlerThrowsDecidesWhetherItIsTriedAgain() {
    AtomicInteger runs = new AtomicInteger();
    try (LogCapture log = LogCapture.of("outbox")) {
      start(
          InboxHandler.of(
              "flaky",
              (message, context) -> {
                if (runs.incrementAndGet() < 3) {
                  throw new IllegalStateException("not yet");
                }
                assertThat(message.attempt()).isEqualTo(2);
                assertThat(message.lastError()).contains("not yet");
              }),
          InboxHandler.of(
              "broken",
              (message, context) -> {
                throw new PermanentFailureException("never");
              }));
      InboxKey broken = new InboxKey("shop", "broken");
      inbox().receive(new InboxKey("shop", "message-1"), "flaky", "secret");
      inbox().receive(new InboxKey("shop", "broken"), "broken", "secret");

      awaitStatus(KEY, InboxStatus.DONE);
      awaitStatus(broken, InboxStatus.DEAD);
      assertThat(stored(broken).lastError()).contains("never");
      assertThat(failures(log, "broken"))
          .singleElement()
          .asString()
          .contains("PermanentFailureException", "\tat ");
      assertThat(failures(log, "message-1"))
          .hasSize(2)
          .allMatch(line -> line.contains("IllegalStateException") && line.contains("\tat "));
      assertThat(log.all()).noneMatch(line -> line.contains("secret"));
    }
  }

  private static List<String> failures(LogCapture log, String messageId) {
    return log.errors().stream()
        .filter(line -> line.contains("listener failed source=shop messageId=" + messageId + " "))
        .toList();
  }

  /** What an idempotent handler needs to recognise a message that it has handled before. */
  @Test
  @Spec("IBX-077")
  default void aMessageThatIsHandledAgainIsTheSame() {
    List<InboxMessage> runs = new CopyOnWriteArrayList<>();
    Set<InboxKey> effects = ConcurrentHashMap.newKeySet();
    start(
        InboxHandler.of(
            "topic",
            (message, context) -> {
              runs.add(message);
              effects.add(message.key());
              if (runs.size() == 1) {
                throw new IllegalStateException("after its effect");
              }
            }));

    inbox()
        .receive(
            InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "{\"a\":1}")
                .withHash(bytes("hash")));

    awaitStatus(KEY, InboxStatus.DONE);
    assertThat(effects).containsExactly(KEY);
    assertThat(runs).extracting(InboxMessage::attempt).containsExactly(0, 1);
    assertThat(runs)
        .allSatisfy(
            message -> {
              assertThat(message.key()).isEqualTo(KEY);
              assertThat(message.topic()).isEqualTo("topic");
              assertThat(message.payload()).isEqualTo("{\"a\":1}");
              assertThat(message.hash()).isEqualTo(bytes("hash"));
              assertThat(message.contentVersion()).isEqualTo(1);
              assertThat(message.firstSeen()).isEqualTo(runs.get(0).firstSeen());
            });
  }

  @Test
  @Spec("IBX-079")
  default void differentMessagesAreHandledAtTheSameTime() {
    CountDownLatch both = new CountDownLatch(2);
    List<String> together = new CopyOnWriteArrayList<>();
    start(
        InboxHandler.of(
            "topic",
            (message, context) -> {
              both.countDown();
              assertThat(both.await(20, TimeUnit.SECONDS)).isTrue();
              together.add(message.messageId());
            }));

    inbox().receive(new InboxKey("shop", "message-1"), "topic", "{}");
    inbox().receive(new InboxKey("shop", "message-2"), "topic", "{}");

    awaitStatus(KEY, InboxStatus.DONE);
    awaitStatus(new InboxKey("shop", "message-2"), InboxStatus.DONE);
    assertThat(together).containsExactlyInAnyOrder("message-1", "message-2");
  }

  @Test
  @Spec("IBX-074")
  default void aMessageWithoutHandlerIsWarnedOfAndWaits() {
    try (LogCapture log = LogCapture.of("outbox")) {
      start(InboxHandler.of("known", (message, context) -> {}));
      inbox().receive(new InboxKey("shop", "message-1"), "unknown", "{}");

      awaitTrue(() -> !log.warnings().isEmpty());
      assertThat(log.warnings())
          .singleElement()
          .asString()
          .contains("no listener here for type=unknown;");
    }
    awaitTrue(() -> owner(KEY) == null);
    assertThat(status(KEY)).isEqualTo(InboxStatus.PROCESSING);
    assertThat(stored(KEY).attempt()).isZero();
  }

  @Test
  @Spec({"IBX-072", "IBX-105"})
  default void whatACrashedWorkerLeftBehindIsHandledAfterItsLease() {
    enqueue(KEY, "{}");
    assertThat(work().claim(OTHER, Duration.ofMillis(200), 1)).hasSize(1);

    start(InboxHandler.of("topic", (message, context) -> {}));

    awaitStatus(KEY, InboxStatus.DONE);
    assertThat(work().ack(OTHER, held(KEY))).isEmpty();
  }

  /** Of which it has no room to take one over. */
  @Test
  @Spec("IBX-072")
  default void thePollerReapsWhatACrashedWorkerLeftBehind() {
    Halt halt = new Halt();
    OutboxConfig config =
        new OutboxConfig()
            .setLeaseDuration(Duration.ofMillis(300))
            .setDispatcherWorkers(1)
            .setColdQueueCapacity(1);
    OutboxPoller poller =
        poller(
            config, store().events(), InboxHandler.of("topic", (message, context) -> halt.reach()));
    InboxKey waiting = new InboxKey("shop", "waiting");
    InboxKey left = new InboxKey("shop", "left");
    enqueue(KEY, "{}");
    enqueue(waiting, "{}");
    awaitTrue(
        () -> {
          poller.poll();
          return owner(KEY) != null && owner(waiting) != null;
        });
    enqueue(left, "{}");
    awaitTrue(
        () ->
            work().claim(OTHER, Duration.ofMillis(1), 1).stream()
                .anyMatch(message -> message.key().equals(left)));

    awaitTrue(
        () -> {
          poller.poll();
          return owner(left) == null;
        });

    assertThat(status(left)).isEqualTo(InboxStatus.PROCESSING);
    assertThat(stored(left).attempt()).isZero();
    halt.release();
  }

  @Test
  @Spec("IBX-078")
  default void aDuplicateThatComesWhileItsMessageIsHandledDoublesNoEffect() throws Exception {
    AtomicInteger effects = new AtomicInteger();
    Halt halt = new Halt();
    start(
        InboxHandler.of(
            "topic",
            (message, context) -> {
              halt.reach();
              effects.incrementAndGet();
            }));
    enqueue(KEY, "{}");
    halt.awaitReached();

    assertThat(inbox().receive(inbound(KEY, "topic", "{}")).isNew()).isFalse();
    enqueue(KEY, "{}");
    halt.release();

    awaitStatus(KEY, InboxStatus.DONE);
    enqueue(KEY, "{}");
    assertThat(inbox().receive(inbound(KEY, "topic", "{}")).isNew()).isFalse();
    assertThat(claim(ME)).isEmpty();
    assertThat(effects).hasValue(1);
  }

  @Test
  @Spec({"IBX-045", "IBX-078"})
  default void aHandlerOfOldContentThatOutlivesItsLeaseDoesNotCompleteTheNew() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    CompletableFuture<HandlerContext> running = new CompletableFuture<>();
    CountDownLatch goOn = new CountDownLatch(1);
    start(
        InboxHandler.of(
            "topic",
            (message, context) -> {
              handled.add(message.payload());
              if (message.payload().equals("old")) {
                running.complete(context);
                awaitUninterruptibly(goOn);
              }
            }));
    enqueue(KEY, "old");
    HandlerContext old = running.get(60, TimeUnit.SECONDS);
    String noOwner;
    try (Connection connection = begun()) {
      inbox().receive(connection, inbound(KEY, "topic", "old"));
      awaitTrue(() -> old.leaseRemaining().isZero());
      inbox().enqueue(connection, inbound(KEY, "topic", "new"));
      noOwner = requireNonNull(ownerIn(connection, KEY));
      connection.commit();
    }
    awaitTrue(() -> !noOwner.equals(owner(KEY)));

    goOn.countDown();

    awaitStatus(KEY, InboxStatus.DONE);
    assertThat(handled).containsExactly("old", "new");
  }

  /** As a handler does that does not listen when it is told to stop. */
  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean over = latch.getCount() == 0;
    while (!over) {
      over = awaited(latch);
    }
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Test
  @Spec("IBXU-07")
  @SuppressWarnings("NullAway")
  default void aHandlerNamesOneTopicAndATopicHasOneHandler() {
    InboxHandlers handlers = new InboxHandlers().register(handlerOf("topic"));
    assertThatThrownBy(() -> handlers.register(handlerOf("topic")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("topic");
    assertThatThrownBy(() -> InboxHandler.of("*", (message, context) -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("topic (*) must name one topic; an inbox has no handler of every message");
    for (String topic : new String[] {null, "", " ", "*"}) {
      assertThatThrownBy(() -> handlers.register(handlerOf(topic)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("topic");
    }
  }

  @SuppressWarnings("NullAway")
  private static InboxHandler handlerOf(String topic) {
    return new InboxHandler() {
      @Override
      public String topic() {
        return topic;
      }

      @Override
      public void handle(InboxMessage message, HandlerContext context) {}
    };
  }
}

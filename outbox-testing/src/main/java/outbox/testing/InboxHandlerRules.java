package outbox.testing;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testing.InboxUnderTest.bytes;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.HandlerContext;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.dispatch.OutboxDispatcher;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.TransactionalInboxHandler;
import outbox.poller.OutboxPoller;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;

/** The engine of the outbox on the messages of an inbox. */
interface InboxHandlerRules extends InboxUnderTest {

  @Test
  @Spec({"IBX-073", "IBX-076", "IBX-079", "IBX-110", "IBXU-07"})
  default void aHandlerGetsTheWholeMessageOfItsTopic() {
    List<InboxMessage> handled = new CopyOnWriteArrayList<>();
    List<InboxMessage> others = new CopyOnWriteArrayList<>();
    AtomicBoolean cancelled = new AtomicBoolean(true);
    try (LogCapture log = LogCapture.of("outbox")) {
      start(
          InboxHandler.of(
              "order.created",
              (message, context) -> {
                cancelled.set(context.isCancelled());
                handled.add(message);
              }),
          InboxHandler.of("Order.Created", (message, context) -> others.add(message)));

      inbox().receive("order.created", "shop", "message-1", "{\"a\":1}", bytes("hash"));

      awaitStatus(KEY, InboxStatus.DONE);
      assertThat(log.infos())
          .anyMatch(line -> line.contains("topic=order.created source=shop messageId=message-1"));
    }
    assertThat(others).isEmpty();
    assertThat(cancelled).isFalse();
    InboxMessage message = handled.get(0);
    assertThat(handled).hasSize(1);
    assertThat(message.key()).isEqualTo(KEY);
    assertThat(message.topic()).isEqualTo("order.created");
    assertThat(message.payload()).isEqualTo("{\"a\":1}");
    assertThat(message.hash()).isEqualTo(bytes("hash"));
    assertThat(message.attempt()).isZero();
    assertThat(message.firstSeen()).isEqualTo(stored(KEY).firstSeen());
  }

  @Test
  @Spec({"IBX-075", "IBX-077", "IBX-083", "IBX-111", "IBX-127"})
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
      inbox().receive("flaky", "shop", "message-1", "secret", null);
      inbox().receive("broken", "shop", "broken", "secret", null);

      awaitStatus(KEY, InboxStatus.DONE);
      awaitStatus(broken, InboxStatus.DEAD);
      assertThat(stored(broken).lastError()).contains("never");
      assertThat(log.errors())
          .anyMatch(line -> line.contains("messageId=broken"))
          .anyMatch(line -> line.contains("PermanentFailureException"));
      assertThat(log.all()).noneMatch(line -> line.contains("secret"));
    }
  }

  @Test
  @Spec("IBX-074")
  default void aMessageWithoutHandlerIsWarnedOfAndWaits() {
    try (LogCapture log = LogCapture.of("outbox")) {
      start(InboxHandler.of("known", (message, context) -> {}));
      inbox().receive("unknown", "shop", "message-1", "{}", null);

      awaitTrue(() -> !log.warnings().isEmpty());
      assertThat(log.warnings()).anyMatch(line -> line.contains("unknown"));
    }
    awaitTrue(() -> owner(KEY) == null);
    assertThat(status(KEY)).isEqualTo(InboxStatus.PROCESSING);
    assertThat(stored(KEY).attempt()).isZero();
  }

  @Test
  @Spec("IBX-078")
  default void aDuplicateThatComesWhileItsMessageIsHandledDoublesNoEffect() throws Exception {
    AtomicInteger effects = new AtomicInteger();
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    start(
        InboxHandler.of(
            "topic",
            (message, context) -> {
              running.countDown();
              goOn.await();
              effects.incrementAndGet();
            }));
    enqueue(KEY, "{}");
    running.await();

    assertThat(inbox().receive(inbound(KEY, "topic", "{}")).isNew()).isFalse();
    enqueue(KEY, "{}");
    goOn.countDown();

    awaitStatus(KEY, InboxStatus.DONE);
    enqueue(KEY, "{}");
    assertThat(inbox().receive(inbound(KEY, "topic", "{}")).isNew()).isFalse();
    assertThat(claim(ME)).isEmpty();
    assertThat(effects).hasValue(1);
  }

  @Test
  @Spec({"IBX-045", "IBX-102"})
  default void aTransactionalHandlerOfReplacedContentRollsBack() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    AtomicInteger acks = new AtomicInteger();
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    start(
        counting("ack", acks),
        TransactionalInboxHandler.of(
            "topic",
            (message, connection) -> {
              assertThat(store().find(connection, message.key())).isPresent();
              write(connection, "effect of " + message.payload());
              handled.add(message.payload());
              running.countDown();
              goOn.await();
            }));
    enqueue(KEY, "old");
    running.await();

    enqueue(KEY, "new");
    goOn.countDown();

    awaitStatus(KEY, InboxStatus.DONE);
    assertThat(handled).contains("old").endsWith("new");
    assertThat(written("effect of old")).isFalse();
    assertThat(written("effect of new")).isTrue();
    assertThat(acks).as("tries, of which a lost message is worth one").hasValueLessThan(20);
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
    String nobody;
    try (Connection connection = begun()) {
      inbox().receive(connection, inbound(KEY, "topic", "old"));
      awaitTrue(() -> old.leaseRemaining().isZero());
      inbox().enqueue(connection, inbound(KEY, "topic", "new"));
      nobody = requireNonNull(ownerIn(connection, KEY));
      connection.commit();
    }
    awaitTrue(() -> !nobody.equals(owner(KEY)));

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
  @Spec("IBX-102")
  default void aTransactionalHandlersWritesAndItsCompletionAreOneTransaction() {
    AtomicInteger runs = new AtomicInteger();
    List<Throwable> refused = new CopyOnWriteArrayList<>();
    start(
        TransactionalInboxHandler.of(
            "topic",
            (message, connection) -> {
              write(connection, "effect " + runs.incrementAndGet());
              refuse(connection::commit, refused);
              refuse(connection::rollback, refused);
              refuse(connection::close, refused);
              if (runs.get() == 1) {
                throw new IllegalStateException("once more");
              }
            }));

    enqueue(KEY, "{}");

    awaitStatus(KEY, InboxStatus.DONE);
    assertThat(runs).hasValue(2);
    assertThat(written("effect 1")).isFalse();
    assertThat(written("effect 2")).isTrue();
    assertThat(refused).hasSize(6);
  }

  @Test
  @Spec({"IBX-078", "IBX-102"})
  default void aDuplicateInALongTransactionOnlyDelaysATransactionalHandler() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    AtomicInteger acks = new AtomicInteger();
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    start(
        counting("ack", acks),
        TransactionalInboxHandler.of(
            "topic",
            (message, connection) -> {
              runs.incrementAndGet();
              running.countDown();
              goOn.await();
            }));
    enqueue(KEY, "{}");
    running.await();
    try (Connection connection = begun()) {
      inbox().receive(connection, inbound(KEY, "topic", "{}"));
      goOn.countDown();
      awaitTrue(() -> acks.get() > 25 || runs.get() > 1);
      connection.commit();
    }

    awaitStatus(KEY, InboxStatus.DONE);
    assertThat(runs).hasValue(1);
  }

  /** The events of the inbox, counting the calls of a method. */
  private LeasedEventStore counting(String method, AtomicInteger calls) {
    LeasedEventStore events = store().events();
    return (LeasedEventStore)
        Proxy.newProxyInstance(
            LeasedEventStore.class.getClassLoader(),
            new Class<?>[] {LeasedEventStore.class},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method)) {
                calls.incrementAndGet();
              }
              try {
                return called.invoke(events, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static void refuse(SqlCall call, List<Throwable> refused) {
    try {
      call.run();
    } catch (SQLException | RuntimeException e) {
      refused.add(e);
    }
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

  @Test
  @Spec("IBXU-07")
  @SuppressWarnings("NullAway")
  default void aHandlerNamesOneTopicAndATopicHasOneHandler() {
    InboxHandlers handlers = new InboxHandlers().register(handlerOf("topic"));
    assertThatThrownBy(() -> handlers.register(handlerOf("topic")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("topic");
    for (String topic : new String[] {null, "", "*"}) {
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

  /** Something that commits or rolls back with the connection's transaction. */
  private void write(Connection connection, String name) {
    store().see(connection, new InboxKey("effects", name), null);
  }

  private boolean written(String name) {
    return work().get(new InboxKey("effects", name)).isPresent();
  }

  private void awaitStatus(InboxKey key, InboxStatus status) {
    awaitTrue(() -> status(key) == status);
  }

  /** A dispatcher and a poller on the inbox, with a lease that a test can wait for. */
  private void start(InboxHandler... handlers) {
    start(store().events(), handlers);
  }

  private void start(LeasedEventStore events, InboxHandler... handlers) {
    InboxHandlers registry = new InboxHandlers();
    for (InboxHandler handler : handlers) {
      registry.register(handler);
    }
    OutboxConfig config =
        new OutboxConfig()
            .setLeaseDuration(Duration.ofSeconds(3))
            .setRetryBaseDelayMs(1)
            .setRetryMaxDelayMs(2);
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), events)
                .config(config)
                .listeners(registry)
                .transactions(transactions())
                .build());
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                connections(), events, dispatcher, Duration.ZERO, 50, 50, MetricsExporter.NOOP));
    poller.start();
  }

  /** A call that is expected to be refused. */
  @FunctionalInterface
  interface SqlCall {
    void run() throws SQLException;
  }
}

package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.data.TemporalUnitOffset;
import org.junit.jupiter.api.Test;
import outbox.DeferException;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.PermanentFailureException;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/** A handler gets its messages whole, decides about them and is told when to stop. */
interface HandlerRules extends OutboxUnderTest {
  Duration LONG = Duration.ofMinutes(10);

  @Test
  @Spec({"OBX-048", "OBX-051", "OBXU-05"})
  default void handlerGetsTheWholeMessagesOfItsTopicAndNoOthers() throws Exception {
    List<OutboxMessage> handled = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register(OutboxHandler.of("mail", (message, context) -> handled.add(message)))
                .register(OutboxHandler.of("print", (message, context) -> {})));
    EventEnvelope mail =
        EventEnvelope.builder("mail")
            .payloadJson("{\"to\":\"me\"}")
            .correlationId("order-7")
            .tenantId("t1")
            .headers(Map.of("trace", "abc"))
            .build();
    String print = store(EventEnvelope.ofJson("print", "{}"));
    store(mail);

    startedPoller(dispatcher);

    awaitStatus(mail.eventId(), EventStatus.DONE);
    awaitStatus(print, EventStatus.DONE);
    assertThat(handled)
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.id().value()).isEqualTo(mail.eventId());
              assertThat(message.topic()).isEqualTo("mail");
              assertThat(message.payload()).isEqualTo("{\"to\":\"me\"}");
              assertThat(message.correlationId()).isEqualTo("order-7");
              assertThat(message.tenantId()).isEqualTo("t1");
              assertThat(message.headers()).containsEntry("trace", "abc");
              assertThat(message.retryCount()).isZero();
              assertThat(message.isProcessed()).isFalse();
              assertThat(message.createdAt())
                  .isCloseTo(row(mail.eventId()).orElseThrow().createdAt(), withinASecond());
              assertThat(message.lockedUntil()).isAfter(Instant.now().minusSeconds(60));
            });
  }

  @Test
  @Spec({"OBX-050", "OBX-058", "OBX-059"})
  default void failingHandlerIsTriedAgainUntilTheLastAttemptThenDead() throws Exception {
    List<Integer> retryCounts = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(3),
            handler(
                (message, context) -> {
                  retryCounts.add(message.retryCount());
                  throw new IllegalStateException("number " + message.retryCount());
                }));
    startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(retryCounts).containsExactly(0, 1, 2);
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(3);
    assertThat(row(id).orElseThrow().lastError()).contains("IllegalStateException: number 2");
  }

  @Test
  default void permanentFailureIsDeadAtOnceWithItsMessage() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            handler(
                (message, context) -> {
                  runs.incrementAndGet();
                  throw new PermanentFailureException("no such customer");
                }));

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(runs).hasValue(1);
    assertThat(row(id).orElseThrow().lastError()).contains("no such customer");
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(1);
  }

  @Test
  default void deferredMessageComesAgainLaterAndCountsNothing() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(1),
            handler(
                (message, context) -> {
                  if (runs.incrementAndGet() < 3) {
                    throw new DeferException(Duration.ofMillis(1));
                  }
                }),
            metrics);
    startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(runs).hasValue(3);
    assertThat(row(id).orElseThrow().attempts()).isZero();
    assertThat(metrics.failure()).isZero();
  }

  @Test
  default void deferredMessageWaitsForItsDelay() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            handler(
                (message, context) -> {
                  throw new DeferException(LONG);
                }));

    String id = publish(client(dispatcher), "Any");

    awaitTrue(() -> row(id).orElseThrow().owner() == null);
    assertThat(row(id).orElseThrow())
        .satisfies(row -> assertThat(row.status()).isEqualTo(EventStatus.NEW))
        .satisfies(row -> assertThat(row.availableAt()).isAfter(row.createdAt().plusSeconds(500)));
  }

  @Test
  default void renewalMovesTheEndOfTheLeaseInTheDatabase() throws Exception {
    AtomicReference<HandlerContext> context = new AtomicReference<>();
    CountDownLatch release = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setLeaseDuration(LONG),
            handler(
                (message, running) -> {
                  context.set(running);
                  release.await();
                }));
    String id = publish(client(dispatcher), "Any");
    awaitTrue(() -> context.get() != null);
    HandlerContext running = Objects.requireNonNull(context.get());
    Instant before = row(id).orElseThrow().availableAt();
    Duration remaining = running.leaseRemaining();

    awaitTrue(() -> running.renewLease() && row(id).orElseThrow().availableAt().isAfter(before));

    assertThat(remaining).isPositive().isLessThanOrEqualTo(LONG);
    assertThat(running.leaseRemaining()).isPositive().isLessThanOrEqualTo(LONG);
    assertThat(running.isCancelled()).isFalse();
    release.countDown();
    awaitStatus(id, EventStatus.DONE);
    assertThat(running.renewLease()).isFalse();
  }

  @Test
  default void renewalOfALostLeaseIsRefused() throws Exception {
    AtomicReference<Boolean> renewed = new AtomicReference<>();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch taken = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setLeaseDuration(LONG),
            handler(
                (message, context) -> {
                  started.countDown();
                  taken.await();
                  renewed.set(context.renewLease());
                }));
    String id = publish(client(dispatcher), "Any");
    started.await();
    takeAway(id);

    taken.countDown();

    awaitTrue(() -> renewed.get() != null);
    assertThat(renewed).hasValue(false);
  }

  @Test
  default void lostLeaseCancelsAndInterruptsTheHandler() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    AtomicBoolean cancelled = new AtomicBoolean();
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setLeaseDuration(Duration.ofMillis(1500)),
            handler(
                (message, context) -> {
                  context.onCancel(told::countDown);
                  started.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } finally {
                    cancelled.set(context.isCancelled());
                  }
                }),
            metrics);
    String id = publish(client(dispatcher), "Any");
    started.await();

    takeAway(id);

    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
    awaitTrue(() -> metrics.leaseLost() == 1);
    assertThat(cancelled).isTrue();
    assertThat(metrics.failure()).isZero();
    assertThat(row(id).orElseThrow().attempts()).isZero();
  }

  @Test
  @Spec("OBX-053")
  default void noMessageIsHandledTwiceAtTheSameTimeHoweverManyNodesLook() throws Exception {
    AtomicInteger overlaps = new AtomicInteger();
    AtomicInteger runs = new AtomicInteger();
    Set<String> running = ConcurrentHashMap.newKeySet();
    DefaultListenerRegistry listeners =
        handler(
            (message, context) -> {
              String id = message.id().value();
              if (!running.add(id)) {
                overlaps.incrementAndGet();
              }
              boolean unused = context.renewLease();
              running.remove(id);
              runs.incrementAndGet();
              if (message.retryCount() < 2) {
                throw new IllegalStateException("once more");
              }
            });
    for (int i = 0; i < 40; i++) {
      store(EventEnvelope.ofJson("Any", "{}"));
    }

    for (int node = 0; node < 3; node++) {
      startedPoller(dispatcher(config(), listeners));
    }

    awaitTrue(() -> runs.get() == 120);
    assertThat(overlaps).hasValue(0);
  }

  @Test
  @Spec("OBX-054")
  default void differentMessagesAreHandledAtTheSameTime() throws Exception {
    CyclicBarrier together = new CyclicBarrier(2);
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(2),
            handler((message, context) -> together.await(60, TimeUnit.SECONDS)));

    String one = publish(client(dispatcher), "Any");
    String other = publish(client(dispatcher), "Any");

    awaitStatus(one, EventStatus.DONE);
    awaitStatus(other, EventStatus.DONE);
    assertThat(row(one).orElseThrow().attempts()).isZero();
  }

  private static DefaultListenerRegistry handler(OutboxHandler.Body body) {
    return new DefaultListenerRegistry().register(OutboxHandler.of("Any", body));
  }

  /** As if the lease had expired and another worker had put the message off. */
  private void takeAway(String id) throws Exception {
    String holder = Objects.requireNonNull(row(id).orElseThrow().owner());
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(true);
      store().defer(connection, holder, List.of(id), LONG);
    }
  }

  private static TemporalUnitOffset withinASecond() {
    return within(1, ChronoUnit.SECONDS);
  }
}

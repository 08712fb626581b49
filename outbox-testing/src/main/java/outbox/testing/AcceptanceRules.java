package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.AggregateType;
import outbox.EventEnvelope;
import outbox.EventType;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;

/** The life of an event from publish to its end. */
interface AcceptanceRules extends OutboxUnderTest {

  /** Event types as an application has them. */
  enum UserEvents implements EventType {
    USER_CREATED
  }

  /** Aggregate types as an application has them. */
  enum Aggregates implements AggregateType {
    USER
  }

  @Test
  @Spec({"FRM-01", "FRM-23", "FRM-87"})
  default void rolledBackTransactionLeavesNoRowAndDeliversNothing() throws Exception {
    BlockingQueue<EventEnvelope> received = new LinkedBlockingQueue<>();
    OutboxClient client =
        client(dispatcher(config(), new DefaultListenerRegistry().registerAll(received::add)));
    EventEnvelope event = EventEnvelope.ofJson("UserCreated", "{}");

    assertThatThrownBy(
            () ->
                transactions()
                    .run(
                        connection -> {
                          client.publish(event);
                          throw new IllegalStateException("business says no");
                        }))
        .hasMessage("business says no");

    assertThat(row(event.eventId())).isEmpty();
    String after = publish(client, "UserCreated");
    assertThat(received.poll(60, TimeUnit.SECONDS)).extracting("eventId").isEqualTo(after);
    assertThat(received).isEmpty();
  }

  @Test
  @Spec({
    "FRM-02", "FRM-03", "FRM-04", "FRM-12", "FRM-22", "FRM-35", "FRM-42", "FRM-43", "FRM-44",
    "FRM-88"
  })
  default void committedEventIsDeliveredFromMemoryAndEndsDone() throws Exception {
    BlockingQueue<EventEnvelope> received = new LinkedBlockingQueue<>();
    OutboxClient client =
        client(
            dispatcher(
                config(), new DefaultListenerRegistry().register("UserCreated", received::add)));
    EventEnvelope event = EventEnvelope.ofJson("UserCreated", "{\"id\":123}");
    AtomicInteger inserted = new AtomicInteger();

    transactions()
        .run(
            connection -> {
              assertThat(client.publish(event)).isEqualTo(event.eventId());
              assertThat(txContext().currentConnection()).isSameAs(connection);
              inserted.addAndGet(store().inspect(connection, List.of(event.eventId())).size());
              assertThat(received).isEmpty();
            });

    assertThat(inserted).hasValue(1);
    assertThat(received.poll(60, TimeUnit.SECONDS)).isSameAs(event);
    awaitStatus(event.eventId(), EventStatus.DONE);
    assertThat(row(event.eventId()).orElseThrow().doneAt()).isNotNull();
  }

  @Test
  @Spec({"FRM-05", "FRM-13", "FRM-45", "FRM-55", "FRM-76", "FRM-77", "FRM-89"})
  default void overflowOfTheHotLaneStaysNewUntilThePollerDeliversIt() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1).setHotQueueCapacity(1),
            new DefaultListenerRegistry()
                .register(
                    "Slow",
                    event -> {
                      release.await();
                      received.add(event.eventId());
                    }));
    OutboxClient client = client(dispatcher);
    String running = publish(client, "Slow");
    awaitTrue(() -> dispatcher.prepareHot(EventEnvelope.ofJson("Slow", ""), false).lease() != null);
    String queued = publish(client, "Slow");
    String dropped = publish(client, "Slow");

    assertThat(row(dropped).orElseThrow())
        .satisfies(row -> assertThat(row.status()).isEqualTo(EventStatus.NEW))
        .satisfies(row -> assertThat(row.owner()).isNull());
    assertThat(row(queued).orElseThrow().owner()).isNotNull();

    release.countDown();
    startedPoller(dispatcher);
    awaitStatus(dropped, EventStatus.DONE);
    awaitStatus(queued, EventStatus.DONE);
    awaitStatus(running, EventStatus.DONE);
    assertThat(received).containsExactlyInAnyOrder(running, queued, dropped);
  }

  @Test
  @Spec({"FRM-04", "FRM-58", "FRM-74", "FRM-90"})
  default void repeatedFailureRetriesWithGrowingAttemptsAndEndsDead() throws Exception {
    List<Integer> attemptsSeen = new CopyOnWriteArrayList<>();
    EventEnvelope event = EventEnvelope.ofJson("Failing", "{}");
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(3),
            new DefaultListenerRegistry()
                .register(
                    "Failing",
                    e -> {
                      attemptsSeen.add(row(e.eventId()).orElseThrow().attempts());
                      throw new IllegalStateException("no good");
                    }));
    startedPoller(dispatcher);

    publish(client(dispatcher), event);

    awaitStatus(event.eventId(), EventStatus.DEAD);
    assertThat(attemptsSeen).containsExactly(0, 1, 2);
    assertThat(row(event.eventId()).orElseThrow())
        .satisfies(row -> assertThat(row.attempts()).isEqualTo(3))
        .satisfies(
            row ->
                assertThat(row.lastError()).isEqualTo("java.lang.IllegalStateException: no good"));
  }

  @Test
  @Spec({"FRM-48", "FRM-58"})
  default void failedEventWaitsForItsBackoffAsRetry() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(600_000),
            new DefaultListenerRegistry()
                .register(
                    "Failing",
                    e -> {
                      throw new IllegalStateException();
                    }));

    String id = publish(client(dispatcher), "Failing");

    awaitStatus(id, EventStatus.RETRY);
    EventStoreContract.Row row = row(id).orElseThrow();
    assertThat(row.owner()).isNull();
    assertThat(row.attempts()).isEqualTo(1);
    assertThat(row.lastError()).contains("IllegalStateException");
    assertThat(Duration.between(row.createdAt(), row.availableAt()))
        .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(16));
  }

  @Test
  @Spec({"FRM-38", "FRM-91", "FRM-92", "FRM-40", "FRM-41"})
  default void enumTypesAndTenantReachTheListenerFromMemoryAndFromTheDatabase() throws Exception {
    BlockingQueue<EventEnvelope> received = new LinkedBlockingQueue<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry().register(UserEvents.USER_CREATED, received::add));
    EventEnvelope.Builder builder =
        EventEnvelope.builder(UserEvents.USER_CREATED)
            .aggregateType(Aggregates.USER)
            .aggregateId("user-123")
            .tenantId("tenant-1")
            .header("trace", "abc")
            .payloadJson("{}");
    publish(client(dispatcher), builder.build());
    store(builder.eventId("from-the-database").build());
    poller(dispatcher).poll();

    for (int i = 0; i < 2; i++) {
      EventEnvelope event = received.poll(60, TimeUnit.SECONDS);
      assertThat(event).isNotNull();
      assertThat(event.eventType()).isEqualTo("USER_CREATED");
      assertThat(event.aggregateType()).isEqualTo("USER");
      assertThat(event.aggregateId()).isEqualTo("user-123");
      assertThat(event.tenantId()).isEqualTo("tenant-1");
      assertThat(event.headers()).containsEntry("trace", "abc");
    }
  }

  @Test
  @Spec({"FRM-67", "FRM-84"})
  default void undecodableRowEndsDeadAndIsLoggedWithoutItsContent() {
    insertByOldVersion("undecodable", "[\"secret\"]");
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));

    try (LogCapture log = LogCapture.of("outbox")) {
      poller(dispatcher).poll();
      awaitStatus("undecodable", EventStatus.DEAD);

      assertThat(log.errors()).anyMatch(line -> line.contains("undecodable"));
      assertThat(log.all()).noneMatch(line -> line.contains("secret"));
      assertThat(log.all()).noneMatch(line -> line.contains("\"old\""));
    }
    assertThat(row("undecodable").orElseThrow().lastError()).contains("malformed JSON");
  }

  @Test
  @Spec("FRM-67")
  default void rowWhoseIdIsNoneEndsDeadAndHoldsUpNoOther() throws Exception {
    insertByOldVersion("", "{}");
    String good = store(EventEnvelope.ofJson("Good", "{}"));
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));

    poller(dispatcher).poll();

    awaitStatus(good, EventStatus.DONE);
    awaitStatus("", EventStatus.DEAD);
    assertThat(row("").orElseThrow().lastError()).startsWith("undecodable");
  }

  @Test
  @Spec("FRM-14")
  default void hotEventsGoBeforeColdOnesButDoNotStarveThem() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<String> order = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1),
            new DefaultListenerRegistry()
                .register("Gate", event -> release.await())
                .register("Hot", event -> order.add("hot"))
                .register("Cold", event -> order.add("cold")));
    OutboxClient client = client(dispatcher);
    publish(client, "Gate");
    for (int i = 0; i < 2; i++) {
      store(EventEnvelope.ofJson("Cold", "{}"));
    }
    poller(dispatcher).poll();
    for (int i = 0; i < 20; i++) {
      publish(client, "Hot");
    }

    release.countDown();
    awaitTrue(() -> order.size() == 22);
    assertThat(order.subList(0, 6)).containsOnly("hot");
    assertThat(order.subList(0, 10)).contains("cold");
  }

  @Test
  @Spec({"FRM-65", "FRM-78"})
  default void pollerTakesNoMoreThanTheColdLaneHolds() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger handled = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1).setColdQueueCapacity(2),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      started.countDown();
                      release.await();
                      handled.incrementAndGet();
                    }));
    for (int i = 0; i < 10; i++) {
      store(EventEnvelope.builder("Any").eventId("cold-" + i).payloadJson("{}").build());
    }
    OutboxPoller poller = poller(dispatcher);
    poller.poll();
    started.await();
    poller.poll();
    poller.poll();

    assertThat(dispatcher.hasColdQueueCapacity()).isFalse();
    long untouched =
        IntStream.range(0, 10).filter(i -> row("cold-" + i).orElseThrow().owner() == null).count();
    assertThat(untouched).isEqualTo(7);
    release.countDown();
    poller.start();
    awaitTrue(() -> handled.get() == 10);
  }

  @Test
  default void oneCycleOfThePollerGoesOnUntilABatchComesBackShort() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId())));
    for (int i = 0; i < 7; i++) {
      store(EventEnvelope.builder("Any").eventId("due-" + i).payloadJson("{}").build());
    }
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                connections(), store(), dispatcher, Duration.ZERO, 2, 50, MetricsExporter.NOOP));

    poller.poll();
    dispatcher.close();

    assertThat(received).hasSize(7).doesNotHaveDuplicates();
  }

  @Test
  @Spec({"FRM-56", "FRM-60"})
  default void eventQueuedByHandIsClaimedFirstAndRunsOnceHoweverOftenItIsQueued() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      release.await();
                      runs.incrementAndGet();
                    }));
    EventEnvelope event = EventEnvelope.ofJson("ByHand", "{}");
    store(event);

    assertThat(dispatcher.enqueueCold(new QueuedEvent(event, Source.COLD, 0))).isTrue();
    assertThat(dispatcher.enqueueHot(new QueuedEvent(event, Source.HOT, 0))).isTrue();
    awaitTrue(() -> row(event.eventId()).orElseThrow().owner() != null);
    assertThat(dispatcher.enqueueCold(new QueuedEvent(event, Source.COLD, 0))).isTrue();
    release.countDown();

    awaitStatus(event.eventId(), EventStatus.DONE);
    assertThat(dispatcher.enqueueHot(new QueuedEvent(event, Source.HOT, 0))).isTrue();
    dispatcher.close();
    assertThat(runs).hasValue(1);
  }

  @Test
  default void eventDueLaterIsNeitherLeasedNorDeliveredBefore() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId())));
    OutboxClient client = client(dispatcher);
    Instant due = Instant.now().plusSeconds(3600);

    String later =
        publish(client, EventEnvelope.builder("Any").payloadJson("{}").dueAt(due).build());
    String now = publish(client, "Any");
    poller(dispatcher).poll();
    awaitStatus(now, EventStatus.DONE);

    assertThat(received).containsExactly(now);
    EventStoreContract.Row row = row(later).orElseThrow();
    assertThat(row.owner()).isNull();
    assertThat(Duration.between(due, row.availableAt()).abs()).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  @Spec("OBX-049")
  default void eventWithoutListenerIsLeftToOtherNodesAndWarnedOfOnce() throws Exception {
    OutboxConfig config = config().setUnhandledDelay(Duration.ofMinutes(10));
    OutboxDispatcher knowsNothing = dispatcher(config, new DefaultListenerRegistry());
    OutboxClient client = client(knowsNothing);

    try (LogCapture log = LogCapture.of("outbox")) {
      String first = publish(client, "Unknown");
      String second = publish(client, "Unknown");
      assertThat(row(first).orElseThrow().owner()).isNull();
      poller(knowsNothing).poll();
      awaitTrue(
          () ->
              row(second)
                  .filter(row -> row.owner() == null)
                  .filter(row -> row.availableAt().isAfter(row.createdAt().plusSeconds(300)))
                  .isPresent());

      assertThat(row(first).orElseThrow().attempts()).isZero();
      assertThat(log.warnings()).filteredOn(line -> line.contains("no listener")).hasSize(1);
    }
  }

  @Test
  default void eventWithoutListenerEndsDeadAtItsAgeLimit() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(config().setUnhandledMaxAge(Duration.ZERO), new DefaultListenerRegistry());
    String id = store(EventEnvelope.ofJson("Unknown", "{}"));

    poller(dispatcher).poll();

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().lastError()).contains("no listener");
  }

  @Test
  default void expiredEventEndsDeadWithoutBeingHandled() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(), new DefaultListenerRegistry().registerAll(event -> runs.incrementAndGet()));

    String id =
        publish(
            client(dispatcher),
            EventEnvelope.builder("Any")
                .payloadJson("{}")
                .expiresAt(Instant.now().minusSeconds(1))
                .build());

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().lastError()).isEqualTo("expired");
    assertThat(runs).hasValue(0);
  }

  @Test
  @Spec("FRM-24")
  default void publishOutsideATransactionIsRefused() {
    OutboxClient client = client(dispatcher(config(), new DefaultListenerRegistry()));

    assertThatThrownBy(() -> client.publish(EventEnvelope.ofJson("Any", "{}")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("active transaction");
  }

  @Test
  @Spec("FRM-52")
  default void publishLeavesTheConnectionOpenAndTheTransactionToTheCaller() throws Exception {
    OutboxClient client = client(dispatcher(config(), new DefaultListenerRegistry()));

    transactions()
        .run(
            connection -> {
              client.publish(EventEnvelope.ofJson("Any", "{}"));
              Connection current = txContext().currentConnection();
              assertThat(current.isClosed()).isFalse();
              assertThat(current.getAutoCommit()).isFalse();
            });
  }
}

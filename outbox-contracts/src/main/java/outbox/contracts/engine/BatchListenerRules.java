package outbox.contracts.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.BatchListener;
import outbox.Batches;
import outbox.DeferException;
import outbox.EventBatch;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.LogCapture;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.model.ListenerStates;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.LeasedEventStore.ClaimRequest;

/** A batch listener gets many events at once, and each of them has its own outcome. */
interface BatchListenerRules extends OutboxUnderTest {
  String DEAD_NODE = "dead-node";

  /** One worker, so that what is stored before the poller starts is gathered behind the first. */
  private OutboxConfig oneWorker() {
    return config().setDispatcherWorkers(1);
  }

  /** Stores so many events of a topic that anyone may claim. */
  default List<String> stored(String topic, int count) throws Exception {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(store(EventEnvelope.ofJson(topic, Integer.toString(i))));
    }
    return ids;
  }

  /** Starts an engine whose only worker is busy until the poller has claimed these events. */
  default OutboxDispatcher gathered(
      OutboxConfig config, DefaultListenerRegistry listeners, List<String> events)
      throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config,
            listeners.register(
                "Busy",
                event -> {
                  begun.countDown();
                  busy.await();
                }));
    publish(client(dispatcher), "Busy");
    begun.await();
    startedPoller(dispatcher);
    for (String id : events) {
      awaitTrue(
          () -> {
            String owner = row(id).orElseThrow().owner();
            return owner != null && !owner.equals(DEAD_NODE);
          });
    }
    busy.countDown();
    return dispatcher;
  }

  private static List<String> ids(EventBatch batch) {
    return batch.events().stream().map(EventEnvelope::eventId).toList();
  }

  default void awaitAll(List<String> ids, EventStatus status) {
    ids.forEach(id -> awaitStatus(id, status));
  }

  @Test
  default void claimedEventsOfATopicComeInBatchesOfTheSize() throws Exception {
    List<List<String>> batches = new CopyOnWriteArrayList<>();
    List<String> ids = stored("Many", 25);

    gathered(
        oneWorker(),
        new DefaultListenerRegistry()
            .registerBatch("Many", Batches.of(10), batch -> batches.add(ids(batch))),
        ids);

    awaitAll(ids, EventStatus.DONE);
    assertThat(batches).extracting(List::size).containsExactly(10, 10, 5);
    assertThat(batches.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  default void publishedEventsComeInBatchesFromMemory() throws Exception {
    List<List<String>> batches = new CopyOnWriteArrayList<>();
    CountDownLatch busy = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            oneWorker(),
            new DefaultListenerRegistry()
                .register("Busy", event -> busy.await())
                .registerBatch("Many", Batches.of(10), batch -> batches.add(ids(batch))));
    publish(client(dispatcher), "Busy");
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      ids.add(publish(client(dispatcher), "Many"));
    }
    busy.countDown();

    awaitAll(ids, EventStatus.DONE);
    assertThat(batches).containsExactly(ids.subList(0, 10), ids.subList(10, 12));
  }

  @Test
  default void anEventAloneIsABatchOfOneAtOnce() throws Exception {
    List<List<String>> batches = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerBatch("Many", Batches.of(10), batch -> batches.add(ids(batch))));

    String id = publish(client(dispatcher), "Many");

    awaitStatus(id, EventStatus.DONE);
    assertThat(batches).containsExactly(List.of(id));
  }

  @Test
  default void aBatchThatLingersWaitsUntilItIsFull() throws Exception {
    List<List<String>> batches = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerBatch(
                    "Many",
                    Batches.of(3).linger(Duration.ofMinutes(1)),
                    batch -> batches.add(ids(batch))));

    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(publish(client(dispatcher), "Many"));
    }

    awaitAll(ids, EventStatus.DONE);
    assertThat(batches).containsExactly(ids);
  }

  @Test
  default void aBatchThatIsNotFullLingersNoLongerThanItMay() throws Exception {
    AtomicInteger events = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerBatch(
                    "Many",
                    Batches.of(1000).linger(Duration.ofMillis(100)),
                    batch -> events.addAndGet(batch.events().size())));
    long before = System.nanoTime();

    String id = publish(client(dispatcher), "Many");

    awaitTrue(() -> events.get() == 1);
    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(Duration.ofMillis(100).toNanos());
    awaitStatus(id, EventStatus.DONE);
  }

  @Test
  default void aShutdownDoesNotWaitForABatchThatLingers() throws Exception {
    AtomicInteger events = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerBatch(
                    "Many",
                    Batches.of(1000).linger(Duration.ofMinutes(1)),
                    batch -> events.addAndGet(batch.events().size())));
    String id = publish(client(dispatcher), "Many");

    dispatcher.close();

    assertThat(events).hasValue(1);
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  default void eachEventOfABatchHasTheOutcomeThatWasRecorded() throws Exception {
    List<String> ids = stored("Many", 4);
    CountingMetrics metrics = new CountingMetrics();
    BatchListener listener =
        batch -> {
          for (EventEnvelope event : batch.events()) {
            switch (requireNonNull(event.payloadJson())) {
              case "0" -> batch.failed(event, new PermanentFailureException("never"));
              case "1" -> batch.failed(event, new IllegalStateException("not yet"));
              case "2" -> batch.defer(event, Duration.ofMinutes(10));
              default -> {}
            }
          }
        };

    OutboxDispatcher dispatcher =
        dispatcher(
            oneWorker().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(600_000),
            new DefaultListenerRegistry().registerBatch("Many", Batches.of(10), listener),
            metrics);
    startedPoller(dispatcher);

    awaitStatus(ids.get(0), EventStatus.DEAD);
    awaitStatus(ids.get(1), EventStatus.RETRY);
    awaitStatus(ids.get(3), EventStatus.DONE);
    awaitTrue(() -> row(ids.get(2)).orElseThrow().owner() == null);
    assertThat(row(ids.get(0)).orElseThrow().lastError()).contains("never");
    assertThat(row(ids.get(1)).orElseThrow().attempts()).isEqualTo(1);
    assertThat(row(ids.get(1)).orElseThrow().lastError()).contains("not yet");
    assertThat(row(ids.get(2)).orElseThrow().status()).isEqualTo(EventStatus.NEW);
    assertThat(row(ids.get(2)).orElseThrow().attempts()).isZero();
    assertThat(row(ids.get(3)).orElseThrow().attempts()).isZero();
    assertThat(metrics.success()).isEqualTo(1);
    assertThat(metrics.failure()).isEqualTo(2);
  }

  @Test
  default void whatIsThrownFailsThoseEventsThatHaveNoOutcome() throws Exception {
    List<String> ids = stored("Many", 3);
    BatchListener listener =
        batch -> {
          batch.done(batch.events().get(0));
          batch.failed(batch.events().get(1), new PermanentFailureException("never"));
          throw new IllegalStateException("away");
        };

    gathered(
        oneWorker().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(600_000),
        new DefaultListenerRegistry().registerBatch("Many", Batches.of(10), listener),
        ids);

    awaitStatus(ids.get(0), EventStatus.DONE);
    awaitStatus(ids.get(1), EventStatus.DEAD);
    awaitStatus(ids.get(2), EventStatus.RETRY);
    assertThat(row(ids.get(2)).orElseThrow().lastError()).contains("away");
  }

  @Test
  default void aListenerThatDefersByAnExceptionDefersTheWholeBatch() throws Exception {
    List<String> ids = stored("Many", 3);
    AtomicInteger calls = new AtomicInteger();

    gathered(
        oneWorker(),
        new DefaultListenerRegistry()
            .registerBatch(
                "Many",
                Batches.of(10),
                batch -> {
                  if (calls.incrementAndGet() == 1) {
                    throw new DeferException(Duration.ofMillis(1));
                  }
                }),
        ids);

    awaitAll(ids, EventStatus.DONE);
    ids.forEach(id -> assertThat(row(id).orElseThrow().attempts()).isZero());
  }

  @Test
  default void oneEventThatMakesTheListenerThrowEndsNoOther() throws Exception {
    List<String> ids = stored("Many", 20);
    String poison = ids.get(7);

    gathered(
        oneWorker().setRetryMaxAttempts(4),
        new DefaultListenerRegistry()
            .registerBatch(
                "Many",
                Batches.of(20),
                batch -> {
                  if (ids(batch).contains(poison)) {
                    throw new IllegalStateException("poison");
                  }
                }),
        ids);

    awaitStatus(poison, EventStatus.DEAD);
    ids.stream().filter(id -> !id.equals(poison)).forEach(id -> awaitStatus(id, EventStatus.DONE));
  }

  @Test
  default void anEventThatFailedComesAgainInSmallerBatches() throws Exception {
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    List<String> ids = stored("Many", 16);

    gathered(
        oneWorker().setRetryMaxAttempts(4),
        new DefaultListenerRegistry()
            .registerBatch(
                "Many",
                Batches.of(16),
                batch -> {
                  sizes.add(batch.events().size());
                  throw new IllegalStateException("away");
                }),
        ids);

    awaitAll(ids, EventStatus.DEAD);
    assertThat(sizes.get(0)).isEqualTo(16);
    assertThat(sizes.subList(1, sizes.size())).allMatch(size -> size <= 4);
    assertThat(sizes.subList(sizes.size() - 16, sizes.size())).containsOnly(1);
  }

  @Test
  default void theSameErrorIsLoggedOnceForABatch() throws Exception {
    List<String> ids = stored("Many", 5);
    try (LogCapture log = LogCapture.of("outbox.dispatch.OutboxDispatcher")) {
      gathered(
          oneWorker().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(600_000),
          new DefaultListenerRegistry()
              .registerBatch(
                  "Many",
                  Batches.of(10),
                  batch -> {
                    throw new IllegalStateException("away");
                  }),
          ids);

      awaitAll(ids, EventStatus.RETRY);
      assertThat(log.errors()).filteredOn(line -> line.contains("listener failed")).hasSize(1);
    }
  }

  @Test
  default void eachListenerOfATopicSucceedsOrFailsByItselfEventByEvent() throws Exception {
    List<String> ids = stored("Many", 3);
    List<String> mail = new CopyOnWriteArrayList<>();
    List<String> audited = new CopyOnWriteArrayList<>();
    AtomicBoolean first = new AtomicBoolean(true);

    gathered(
        oneWorker(),
        new DefaultListenerRegistry()
            .register("Many", "mail", event -> mail.add(event.eventId()))
            .registerBatch(
                "Many",
                "broker",
                Batches.of(10),
                batch -> {
                  if (first.getAndSet(false)) {
                    batch.failed(batch.events().get(1), new IllegalStateException("away"));
                  }
                })
            .registerBatch("Many", "audit", Batches.of(2), batch -> audited.addAll(ids(batch))),
        ids);

    awaitAll(ids, EventStatus.DONE);
    assertThat(mail).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(audited).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  default void aFailedEventOfABatchNamesTheListenersThatAreDone() throws Exception {
    List<String> ids = stored("Many", 2);

    gathered(
        oneWorker().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(600_000),
        new DefaultListenerRegistry()
            .registerBatch("Many", "mail", Batches.of(10), batch -> {})
            .registerBatch(
                "Many",
                "broker",
                Batches.of(10),
                batch -> batch.failed(batch.events().get(0), new IllegalStateException("away"))),
        ids);

    awaitStatus(ids.get(1), EventStatus.DONE);
    awaitStatus(ids.get(0), EventStatus.RETRY);
    ListenerStates states = ListenerStates.parse(row(ids.get(0)).orElseThrow().listeners());
    assertThat(states.done()).containsExactly("mail");
    assertThat(states.failed()).containsExactly("broker");
  }

  @Test
  default void aBatchListenerOfAllTopicsGetsThemMixed() throws Exception {
    List<Set<String>> topics = new CopyOnWriteArrayList<>();
    List<String> ids = new ArrayList<>();
    ids.addAll(stored("One", 2));
    ids.addAll(stored("Two", 2));

    gathered(
        oneWorker(),
        new DefaultListenerRegistry()
            .registerBatchOfAll(
                Batches.of(10),
                batch -> {
                  Set<String> mixed = ConcurrentHashMap.newKeySet();
                  batch.events().forEach(event -> mixed.add(event.eventType()));
                  topics.add(mixed);
                }),
        ids);

    awaitAll(ids, EventStatus.DONE);
    assertThat(topics).contains(Set.of("One", "Two"));
  }

  @Test
  default void aSuspectIsNeverInABatch() throws Exception {
    List<List<String>> batches = new CopyOnWriteArrayList<>();
    List<String> left = stored("Many", 3);
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(true);
      store()
          .claim(
              connection,
              new ClaimRequest(DEAD_NODE, Duration.ofMillis(1), 3, 1 << 20, null, Duration.ZERO));
    }
    List<String> free = stored("Many", 3);
    List<String> all = new ArrayList<>(left);
    all.addAll(free);

    gathered(
        oneWorker(),
        new DefaultListenerRegistry()
            .registerBatch("Many", Batches.of(10), batch -> batches.add(ids(batch))),
        all);

    awaitAll(left, EventStatus.DONE);
    awaitAll(free, EventStatus.DONE);
    assertThat(batches).hasSize(4);
    left.forEach(id -> assertThat(batches).contains(List.of(id)));
  }

  @Test
  default void theLeasesOfABatchAreRenewedWhileItRuns() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    List<String> ids = stored("Many", 3);
    gathered(
        oneWorker().setLeaseDuration(Duration.ofMillis(1500)),
        new DefaultListenerRegistry()
            .registerBatch(
                "Many",
                Batches.of(10),
                batch -> {
                  calls.incrementAndGet();
                  release.await();
                  assertThat(batch.renewLease()).isTrue();
                  assertThat(batch.leaseRemaining()).isPositive();
                }),
        ids);
    startedPoller(dispatcher(config(), failing()));
    long begun = System.nanoTime();

    awaitTrue(() -> System.nanoTime() - begun > Duration.ofSeconds(4).toNanos());
    release.countDown();

    awaitAll(ids, EventStatus.DONE);
    assertThat(calls).hasValue(1);
  }

  private static DefaultListenerRegistry failing() {
    return new DefaultListenerRegistry()
        .registerBatch(
            "Many",
            Batches.of(10),
            batch -> {
              throw new AssertionError("another node has the events");
            });
  }

  @Test
  default void anEventThatIsLostLeavesTheOthersOfItsBatchAlone() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    List<String> ids = stored("Many", 3);
    gathered(
        oneWorker(),
        new DefaultListenerRegistry()
            .registerBatch(
                "Many",
                Batches.of(10),
                batch -> {
                  started.countDown();
                  release.await();
                }),
        ids);
    started.await();
    String lost = ids.get(1);
    String holder = requireNonNull(row(lost).orElseThrow().owner());
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(true);
      store().defer(connection, holder, List.of(lost), Duration.ofMinutes(10));
    }

    release.countDown();

    awaitStatus(ids.get(0), EventStatus.DONE);
    awaitStatus(ids.get(2), EventStatus.DONE);
    assertThat(row(lost).orElseThrow().status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  default void aBatchThatTakesTooLongIsCancelledAsAWhole() throws Exception {
    AtomicBoolean cancelled = new AtomicBoolean();
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch told = new CountDownLatch(1);
    List<String> ids = stored("Many", 3);
    gathered(
        oneWorker()
            .setLeaseDuration(Duration.ofSeconds(1))
            .setMaxHandlingTime("Many", Duration.ofMillis(200)),
        new DefaultListenerRegistry()
            .registerBatch(
                "Many",
                Batches.of(10),
                batch -> {
                  if (calls.incrementAndGet() > 1) {
                    return;
                  }
                  batch.onCancel(told::countDown);
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    told.await();
                    cancelled.set(batch.isCancelled() && !batch.renewLease());
                    throw e;
                  }
                }),
        ids);

    awaitAll(ids, EventStatus.DONE);
    assertThat(cancelled).isTrue();
  }

  @Test
  default void outcomesOfOtherEventsAreRefused() throws Exception {
    AtomicBoolean refused = new AtomicBoolean();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerBatch(
                    "Many",
                    Batches.of(10),
                    batch -> {
                      assertThatThrownBy(() -> batch.done(EventEnvelope.ofJson("Other", "{}")))
                          .isInstanceOf(IllegalArgumentException.class)
                          .hasMessageContaining("must be one of this batch");
                      refused.set(true);
                    }));

    String id = publish(client(dispatcher), "Many");

    awaitStatus(id, EventStatus.DONE);
    assertThat(refused).isTrue();
  }
}

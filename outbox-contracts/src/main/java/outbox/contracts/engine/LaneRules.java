package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.contracts.store.EventStoreContract;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;

/** Which events reach a worker, from memory or from the database, and in which order. */
interface LaneRules extends OutboxUnderTest {

  @Test
  @Spec("FRM-66")
  default void skipRecentHoldsBackRowsOfVersion1AndNoOthers() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));
    insertByOldVersion("of-version-1", "{}");
    String inserted = store(EventEnvelope.ofJson("Inserted", "{}"));
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                connections(),
                store(),
                dispatcher,
                Duration.ofHours(1),
                200,
                50,
                MetricsExporter.NOOP));

    poller.poll();

    awaitStatus(inserted, EventStatus.DONE);
    assertThat(row("of-version-1").orElseThrow().status()).isEqualTo(EventStatus.NEW);
    assertThat(row("of-version-1").orElseThrow().owner()).isNull();
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
  @Spec("FRM-63")
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
}

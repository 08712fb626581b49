package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.LogCapture;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.HotPath;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.MetricsExporter;
import outbox.spi.NodeSignal;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.InMemoryOutbox;

/** Interleavings that once lost, doubled, delayed or killed an event. */
class EngineRacesTest extends InMemoryOutbox {

  @Test
  void interruptThatComesAfterItsListenerHasEndedKillsNoWorker() throws Exception {
    AtomicReference<Thread> worker = new AtomicReference<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1),
            new DefaultListenerRegistry().registerAll(event -> worker.set(Thread.currentThread())));
    OutboxClient client = client(dispatcher);
    for (int i = 0; i < 5; i++) {
      String id = publish(client, "Any");
      awaitStatus(id, EventStatus.DONE);
      Objects.requireNonNull(worker.get()).interrupt();
    }

    awaitStatus(publish(client, "Any"), EventStatus.DONE);
  }

  @Test
  void hotCopyThatComesAfterItsRowWasClaimedAnewKeepsTheNewToken() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setLeaseDuration(Duration.ofMillis(300)),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      runs.incrementAndGet();
                      started.countDown();
                      release.await();
                    }));
    EventEnvelope event = EventEnvelope.ofJson("Late", "{}");
    HotPath.Prepared hot = dispatcher.prepareHot(event, false);
    try (Connection connection = connections().getConnection()) {
      store().insert(connection, event, hot.lease());
    }
    OutboxPoller poller = poller(dispatcher);
    awaitTrue(
        () -> {
          poller.poll();
          return started.getCount() == 0;
        });

    dispatcher.enqueueHot(hot);
    release.countDown();

    awaitStatus(event.eventId(), EventStatus.DONE);
    assertThat(runs).hasValue(1);
  }

  @Test
  void listenerCutShortByCloseCostsItsEventNoAttempt() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(1).setDrainTimeout(Duration.ofMillis(10)),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      started.countDown();
                      new CountDownLatch(1).await();
                    }));
    String id = publish(client(dispatcher), "Any");
    started.await();

    dispatcher.close();

    assertThat(row(id).orElseThrow())
        .satisfies(row -> assertThat(row.status()).isEqualTo(EventStatus.NEW))
        .satisfies(row -> assertThat(row.attempts()).isZero())
        .satisfies(row -> assertThat(row.owner()).isNull());
  }

  @Test
  void nodeWithoutAListenerLeavesWhatItPublishesToTheOthersAtOnce() throws Exception {
    AtomicInteger signals = new AtomicInteger();
    OutboxDispatcher publisher =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(config())
                .signal(new CountingSignal(signals))
                .build());
    CountingMetrics looks = new CountingMetrics();
    OutboxPoller poller =
        closing(
            new OutboxPoller(connections(), store(), publisher, Duration.ZERO, 10, 600_000, looks));
    poller.start();
    awaitTrue(() -> looks.depthReports() == 1);

    String id = publish(client(publisher), "Unknown");

    assertThat(signals).hasValue(1);
    assertThat(row(id).orElseThrow().owner()).isNull();
    assertThat(row(id).orElseThrow().availableAt()).isEqualTo(row(id).orElseThrow().createdAt());
  }

  /** A due time that no wait can count to: the store's clock is more than 292 years behind. */
  @Test
  void aDueTimeThatNoWaitCanCountToDoesNotStopThePoller() throws Exception {
    advance(Duration.ofDays(-500 * 365));
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));
    try (LogCapture log = LogCapture.of("outbox")) {
      startedPoller(dispatcher);
      dispatcher.dueListener().dueAt(Instant.now());
      String id = store(EventEnvelope.ofJson("Any", "{}"));

      awaitStatus(id, EventStatus.DONE);
      assertThat(log.errors()).isEmpty();
    }
  }

  /** The row is done when the renewal comes, and the worker has not heard of its commit yet. */
  @Test
  void renewalBetweenACommitAndItsNewsDoesNotTakeTheLeaseForLost() throws Exception {
    CountDownLatch inspected = new CountDownLatch(2);
    SpiedStore spied =
        new SpiedStore(
            store(),
            method -> {
              if (method.equals("inspect")) {
                inspected.countDown();
              }
            });
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), spied.store())
                .config(config().setLeaseDuration(Duration.ofMillis(300)))
                .listeners(
                    new DefaultListenerRegistry()
                        .registerTransactional("Any", (event, connection) -> {}))
                .metrics(metrics)
                .transactions(
                    work -> {
                      transactions().run(work);
                      inspected.await();
                    })
                .build());
    OutboxClient client =
        new OutboxClient(txContext(), spied.store(), dispatcher, MetricsExporter.NOOP);

    publish(client, "Any");

    awaitTrue(() -> metrics.success() + metrics.failure() + metrics.leaseLost() > 0);
    assertThat(metrics.success()).isEqualTo(1);
    assertThat(inspected.getCount()).isZero();
  }

  /** The commit failed after the outcome was written; the listeners run again one by one. */
  @Test
  void listenerThatRunsAgainAfterAFailedCommitIsCancelledOnceItsLeaseIsLost() throws Exception {
    AtomicInteger commits = new AtomicInteger();
    CountDownLatch again = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(config().setLeaseDuration(Duration.ofMillis(300)))
                .listeners(
                    new DefaultListenerRegistry()
                        .registerTransactional(
                            "Any",
                            (event, connection) -> {
                              if (commits.get() > 0) {
                                again.countDown();
                                awaitInterrupt(cancelled);
                              }
                            })
                        .registerTransactional("Any", "other", (event, connection) -> {}))
                .transactions(
                    work ->
                        transactions()
                            .run(
                                connection -> {
                                  work.run(connection);
                                  if (commits.getAndIncrement() == 0) {
                                    throw new SQLException("commit failed", "40001");
                                  }
                                }))
                .build());
    publish(client(dispatcher), "Any");
    again.await();

    awaitTrue(() -> isTakenByAnother());

    awaitTrue(() -> cancelled.getCount() == 0);
  }

  private static void awaitInterrupt(CountDownLatch interrupted) throws InterruptedException {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      interrupted.countDown();
      throw e;
    }
  }

  /** Tries until no renewal comes between the end of the lease and the claim. */
  private boolean isTakenByAnother() throws SQLException {
    advance(Duration.ofHours(1));
    try (Connection connection = connections().getConnection()) {
      return !store()
          .claim(
              connection,
              new ClaimRequest("another", Duration.ofDays(1), 1, 1000, null, Duration.ZERO))
          .events()
          .isEmpty();
    }
  }

  @Test
  void lockedRowsDoNotKeepOtherOutcomesFromBeingStored() throws Exception {
    CountDownLatch locked = new CountDownLatch(1);
    AtomicInteger ended = new AtomicInteger();
    OutboxConfig config = config().setFlushBatchSize(2).setDispatcherWorkers(8);
    OutboxDispatcher dispatcher =
        dispatcher(
            config,
            new DefaultListenerRegistry()
                .register(
                    "Locked",
                    event -> {
                      locked.await();
                      ended.incrementAndGet();
                    })
                .register("Free", event -> {}));
    OutboxClient client = client(dispatcher);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(publish(client, "Locked"));
    }
    String owner = Objects.requireNonNull(row(ids.get(0)).orElseThrow().owner());

    try (Connection someone = connections().getConnection()) {
      someone.setAutoCommit(false);
      store().renew(someone, owner, ids, Duration.ofMinutes(1));
      locked.countDown();
      awaitTrue(() -> ended.get() == ids.size());
      awaitStatus(publish(client, "Free"), EventStatus.DONE);
      someone.rollback();
    }

    for (String id : ids) {
      awaitStatus(id, EventStatus.DONE);
    }
  }

  @Test
  void oneKindOfStatementThatFailsWhileOthersSucceedIsLoggedOnce() throws Exception {
    AtomicInteger claims = new AtomicInteger();
    ConnectionProvider refusing =
        () -> {
          claims.incrementAndGet();
          throw new SQLException("permission denied", "42501");
        };
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                refusing, store(), dispatcher, Duration.ZERO, 10, 20, MetricsExporter.NOOP));
    OutboxClient client = client(dispatcher);

    try (LogCapture log = LogCapture.of("outbox")) {
      poller.start();
      awaitTrue(() -> claims.get() > 0);
      for (int i = 0; i < 50; i++) {
        awaitStatus(publish(client, "Any"), EventStatus.DONE);
      }
      awaitTrue(() -> claims.get() > 3);

      assertThat(log.errors()).filteredOn(line -> line.contains("unavailable")).hasSize(1);
      assertThat(log.all()).noneMatch(line -> line.contains("available again"));
    }
  }

  @Test
  void clientRefusesAnotherStoreThanTheDispatchers() {
    OutboxDispatcher dispatcher = dispatcher(config(), new DefaultListenerRegistry());

    assertThatThrownBy(
            () ->
                new OutboxClient(
                    txContext(), new InMemoryEventStore(), dispatcher, MetricsExporter.NOOP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("eventStore");
  }

  @Test
  void exporterThatThrowsHarmsNoEventAndIsLoggedOnce() throws Exception {
    List<String> calls = new CopyOnWriteArrayList<>();
    MetricsExporter throwing =
        (MetricsExporter)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {MetricsExporter.class},
                (proxy, method, arguments) -> {
                  calls.add(method.getName());
                  throw new IllegalStateException("no such meter");
                });
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}), throwing);
    OutboxClient client = new OutboxClient(txContext(), store(), dispatcher, throwing);

    try (LogCapture log = LogCapture.of("outbox")) {
      String first = publish(client, "Any");
      String second = publish(client, "Any");
      awaitStatus(first, EventStatus.DONE);
      awaitStatus(second, EventStatus.DONE);

      assertThat(calls).contains("incrementHotEnqueued", "incrementDispatchSuccess");
      assertThat(log.errors().stream().filter(line -> line.contains("exporter")).count())
          .isLessThanOrEqualTo(2);
    }
  }

  /** Counts what would be sent to other nodes. */
  private record CountingSignal(AtomicInteger sent) implements NodeSignal {
    @Override
    public void listen(Runnable onSignal) {}

    @Override
    public void send() {
      sent.incrementAndGet();
    }

    @Override
    public void close() {}
  }
}

package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.Spec;
import outbox.dispatch.DefaultInFlightTracker;
import outbox.dispatch.InFlightTracker;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.dispatch.RetryPolicy;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.MetricsExporter;
import outbox.testing.memory.InMemoryOutbox;

/** The constructors of the specification mean by each argument what the specification says. */
class SpecifiedConstructorsTest extends InMemoryOutbox {
  private static final int MAX_ATTEMPTS = 2;
  private static final int WORKERS = 3;
  private static final int HOT = 5;
  private static final int COLD = 7;
  private static final RetryPolicy NO_DELAY = failures -> 0;
  private static final ListenerRegistry FAILING =
      new DefaultListenerRegistry()
          .registerAll(
              event -> {
                throw new IllegalStateException("always");
              });

  @Test
  @Spec({"FRM-54", "FRM-55"})
  void dispatcherHasTheWorkersAndTheRoomThatItsConstructorSays() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    OutboxDispatcher dispatcher =
        specified(
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      running.incrementAndGet();
                      release.await();
                    }),
            new DefaultInFlightTracker());
    for (int i = 0; i < WORKERS; i++) {
      assertThat(dispatcher.enqueueHot(stored(Source.HOT))).isTrue();
    }
    awaitTrue(() -> running.get() == WORKERS);

    for (int i = 0; i < HOT; i++) {
      assertThat(dispatcher.enqueueHot(stored(Source.HOT))).isTrue();
    }
    assertThat(dispatcher.enqueueHot(stored(Source.HOT))).isFalse();
    for (int i = 0; i < COLD; i++) {
      assertThat(dispatcher.hasColdQueueCapacity()).isTrue();
      assertThat(dispatcher.enqueueCold(stored(Source.COLD))).isTrue();
    }
    assertThat(dispatcher.hasColdQueueCapacity()).isFalse();
    assertThat(dispatcher.enqueueCold(stored(Source.COLD))).isFalse();
    release.countDown();
  }

  @Test
  @Spec({"FRM-54", "FRM-61"})
  void dispatcherAsksItsTrackerAndStopsAtItsMostAttempts() throws Exception {
    List<String> tracked = new CopyOnWriteArrayList<>();
    InFlightTracker tracker =
        new InFlightTracker() {
          @Override
          public boolean tryAcquire(String eventId) {
            return tracked.add("+" + eventId);
          }

          @Override
          public void release(String eventId) {
            tracked.add("-" + eventId);
          }
        };
    OutboxDispatcher dispatcher = specified(FAILING, tracker);
    String id = store(EventEnvelope.ofJson("Any", "{}"));

    startedPoller(dispatcher);

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(MAX_ATTEMPTS);
    awaitTrue(() -> tracked.size() == 4);
    assertThat(tracked).containsExactly("+" + id, "-" + id, "+" + id, "-" + id);
  }

  @Test
  @Spec({"FRM-54", "FRM-56", "FRM-61"})
  void dispatcherDropsWhatItsTrackerRefuses() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    DefaultInFlightTracker tracker = new DefaultInFlightTracker();
    OutboxDispatcher dispatcher =
        specified(
            new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId())),
            tracker);
    QueuedEvent refused = stored(Source.HOT);
    QueuedEvent free = stored(Source.HOT);
    tracker.tryAcquire(refused.envelope().eventId());

    dispatcher.enqueueHot(refused);
    dispatcher.enqueueCold(refused);
    dispatcher.enqueueHot(free);
    awaitStatus(free.envelope().eventId(), EventStatus.DONE);
    dispatcher.close();

    assertThat(received).containsExactly(free.envelope().eventId());
    assertThat(row(refused.envelope().eventId()).orElseThrow().status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  @Spec({"FRM-54", "FRM-58", "FRM-72"})
  void dispatcherRetriesWhenItsRetryPolicySays() throws Exception {
    List<Integer> asked = new CopyOnWriteArrayList<>();
    RetryPolicy policy =
        failures -> {
          asked.add(failures);
          return failures == 1 ? 0 : Duration.ofHours(1).toMillis();
        };
    OutboxDispatcher dispatcher =
        specified(FAILING, new DefaultInFlightTracker(), policy, 3, MetricsExporter.NOOP);
    String id = store(EventEnvelope.ofJson("Any", "{}"));

    startedPoller(dispatcher);

    awaitTrue(() -> row(id).orElseThrow().attempts() == 2);
    assertThat(asked).containsExactly(1, 2);
    assertThat(row(id).orElseThrow())
        .satisfies(row -> assertThat(row.status()).isEqualTo(EventStatus.RETRY))
        .satisfies(
            row ->
                assertThat(row.availableAt())
                    .isBetween(
                        row.createdAt().plus(Duration.ofHours(1)),
                        Instant.now().plus(Duration.ofHours(1))));
  }

  @Test
  @Spec({"FRM-54", "FRM-81"})
  void dispatcherReportsToItsMetrics() throws Exception {
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        specified(
            new DefaultListenerRegistry()
                .register("Fine", event -> {})
                .register(
                    "Failing",
                    event -> {
                      throw new IllegalStateException("always");
                    }),
            new DefaultInFlightTracker(),
            NO_DELAY,
            MAX_ATTEMPTS,
            metrics);
    startedPoller(dispatcher);

    String fine = store(EventEnvelope.ofJson("Fine", "{}"));
    String failing = store(EventEnvelope.ofJson("Failing", "{}"));

    awaitStatus(fine, EventStatus.DONE);
    awaitStatus(failing, EventStatus.DEAD);
    dispatcher.close();
    assertThat(metrics.success()).isEqualTo(1);
    assertThat(metrics.failure()).isEqualTo(MAX_ATTEMPTS);
    assertThat(metrics.dead()).isEqualTo(1);
  }

  @Test
  @Spec({"FRM-25", "FRM-54", "FRM-62"})
  void dispatcherAndPollerUseTheirOwnConnectionsAndCloseEachSoon() throws Exception {
    OpenConnections dispatchers = new OpenConnections(connections());
    OpenConnections pollers = new OpenConnections(connections());
    OutboxDispatcher dispatcher =
        closing(
            new OutboxDispatcher(
                dispatchers,
                store(),
                new DefaultListenerRegistry().registerAll(event -> {}),
                new DefaultInFlightTracker(),
                NO_DELAY,
                MAX_ATTEMPTS,
                WORKERS,
                HOT,
                COLD,
                MetricsExporter.NOOP));
    int opened = dispatchers.opened();
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                pollers, store(), dispatcher, Duration.ZERO, 1, 10, MetricsExporter.NOOP));
    assertThat(pollers.opened()).isZero();
    String id = store(EventEnvelope.ofJson("Any", "{}"));

    poller.poll();
    assertThat(pollers.opened()).isPositive();
    assertThat(pollers.open()).isZero();
    awaitStatus(id, EventStatus.DONE);
    awaitTrue(() -> dispatchers.opened() > opened && dispatchers.open() == 0);
  }

  @Test
  @Spec({"FRM-62", "FRM-63", "FRM-64", "FRM-86"})
  void startedPollerLooksAgainAtItsIntervalUntilItIsClosed() throws Exception {
    OutboxDispatcher dispatcher =
        specified(
            new DefaultListenerRegistry().registerAll(event -> {}), new DefaultInFlightTracker());
    CountingMetrics metrics = new CountingMetrics();
    OutboxPoller poller =
        closing(
            new OutboxPoller(connections(), store(), dispatcher, Duration.ZERO, 1, 10, metrics));
    assertThat(metrics.depthReports()).isZero();

    poller.start();
    poller.start();
    await()
        .alias("twelve looks at 10 ms; at any default interval they take more than 35 s")
        .atMost(Duration.ofSeconds(20))
        .until(() -> metrics.depthReports() >= 12);
    poller.close();
    int looks = metrics.depthReports();
    String late = store(EventEnvelope.ofJson("Any", "{}"));
    poller.poll();

    assertThat(metrics.depthReports()).isEqualTo(looks);
    assertThat(row(late).orElseThrow().status()).isEqualTo(EventStatus.NEW);
    assertThatThrownBy(poller::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  @Spec({"FRM-62", "FRM-64", "OBX-116"})
  void pollerOfALongIntervalLooksEverMoreRarely() throws Exception {
    OutboxDispatcher dispatcher =
        specified(
            new DefaultListenerRegistry().registerAll(event -> {}), new DefaultInFlightTracker());
    CountingMetrics metrics = new CountingMetrics();
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                connections(), store(), dispatcher, Duration.ZERO, 1, 3_600_000, metrics));
    long before = System.nanoTime();

    poller.start();
    awaitTrue(() -> metrics.depthReports() >= 3);

    assertThat(Duration.ofNanos(System.nanoTime() - before))
        .as("pauses of 1 s and 2 s before the third look, each a little shorter at random")
        .isGreaterThanOrEqualTo(Duration.ofMillis(2550));
  }

  @Test
  @Spec({"FRM-62", "FRM-63", "FRM-66"})
  void pollerClaimsInBatchesOfItsSizeAndTellsItsMetrics() throws Exception {
    CountingMetrics metrics = new CountingMetrics();
    List<ClaimRequest> requests = new CopyOnWriteArrayList<>();
    LeasedEventStore recording = recordingClaims(requests);
    OutboxDispatcher dispatcher =
        closing(
            new OutboxDispatcher(
                connections(),
                recording,
                new DefaultListenerRegistry().registerAll(event -> {}),
                new DefaultInFlightTracker(),
                NO_DELAY,
                MAX_ATTEMPTS,
                WORKERS,
                HOT,
                COLD,
                MetricsExporter.NOOP));
    for (int i = 0; i < 3; i++) {
      store(EventEnvelope.ofJson("Any", "{}"));
    }

    closing(
            new OutboxPoller(
                connections(), recording, dispatcher, Duration.ofSeconds(7), 2, 5000, metrics))
        .poll();

    assertThat(requests)
        .isNotEmpty()
        .allSatisfy(
            request -> {
              assertThat(request.limit()).isEqualTo(2);
              assertThat(request.skipRecent()).isEqualTo(Duration.ofSeconds(7));
            });
    assertThat(metrics.coldEnqueued()).isEqualTo(3);
  }

  /** The store of this test, which notes what it is asked to claim. */
  private LeasedEventStore recordingClaims(List<ClaimRequest> requests) {
    return (LeasedEventStore)
        Proxy.newProxyInstance(
            SpecifiedConstructorsTest.class.getClassLoader(),
            new Class<?>[] {LeasedEventStore.class},
            (proxy, method, args) -> {
              if (method.getName().equals("claim")) {
                requests.add((ClaimRequest) args[1]);
              }
              try {
                return method.invoke(store(), args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private OutboxDispatcher specified(ListenerRegistry listeners, InFlightTracker tracker) {
    return specified(listeners, tracker, NO_DELAY, MAX_ATTEMPTS, MetricsExporter.NOOP);
  }

  private OutboxDispatcher specified(
      ListenerRegistry listeners,
      InFlightTracker tracker,
      RetryPolicy policy,
      int maxAttempts,
      MetricsExporter metrics) {
    return closing(
        new OutboxDispatcher(
            connections(),
            store(),
            listeners,
            tracker,
            policy,
            maxAttempts,
            WORKERS,
            HOT,
            COLD,
            metrics));
  }

  private QueuedEvent stored(Source source) throws Exception {
    EventEnvelope event = EventEnvelope.ofJson("Any", "{}");
    store(event);
    return new QueuedEvent(event, source, 0);
  }
}

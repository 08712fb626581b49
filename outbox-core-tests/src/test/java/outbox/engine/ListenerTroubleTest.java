package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.Batches;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.registry.NamedListener;
import outbox.spi.MetricsExporter;
import outbox.testing.memory.InMemoryOutbox;

/** Listeners that misbehave harm their own event and no other. */
class ListenerTroubleTest extends InMemoryOutbox {

  @Test
  @Spec("OBX-050")
  void listenerThatThrowsAnErrorIsRetriedAndHarmsNoOtherEvent() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1),
            new DefaultListenerRegistry()
                .register(
                    "Broken",
                    event -> {
                      if (runs.incrementAndGet() == 1) {
                        throw new StackOverflowError();
                      }
                    })
                .register("Fine", event -> {}));
    startedPoller(dispatcher);
    OutboxClient client = client(dispatcher);

    String broken = publish(client, "Broken");
    String fine = publish(client, "Fine");

    awaitStatus(fine, EventStatus.DONE);
    awaitStatus(broken, EventStatus.DONE);
    assertThat(row(broken).orElseThrow().attempts()).isEqualTo(1);
  }

  /** A registry of the application's own is asked in the middle of a delivery, too. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whateverEndsAWorkerItsEventComesAgainAfterTheLease(boolean inBatches) throws Exception {
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    if (inBatches) {
      listeners.registerBatch("Any", Batches.of(10), batch -> {});
    } else {
      listeners.register("Any", event -> {});
    }
    AtomicInteger broken = new AtomicInteger();
    OutboxDispatcher dispatcher =
        OutboxDispatcher.builder(connections(), store())
            .config(config().setDispatcherWorkers(1))
            .metrics(new CountingMetrics())
            .listeners(
                new ListenerRegistry() {
                  @Override
                  public List<EventListener> listenersFor(String eventType) {
                    if (Thread.currentThread().getName().startsWith("outbox-worker")
                        && broken.incrementAndGet() == 1) {
                      throw new IllegalStateException("the registry is broken");
                    }
                    return listeners.listenersFor(eventType);
                  }

                  @Override
                  public List<NamedListener> namedListenersFor(String eventType) {
                    return listeners.namedListenersFor(eventType);
                  }
                })
            .build();
    closing(dispatcher);
    startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Any");
    awaitTrue(() -> broken.get() > 0);
    advance(Duration.ofMinutes(1));

    awaitStatus(id, EventStatus.DONE);
  }

  @Test
  void listenerThatInterruptsItsThreadDoesNotInterruptTheNextEvent() throws Exception {
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1),
            new DefaultListenerRegistry()
                .register("Interrupting", event -> Thread.currentThread().interrupt())
                .register(
                    "Next", event -> interrupted.add(Thread.currentThread().isInterrupted())));
    OutboxClient client = client(dispatcher);

    String first = publish(client, "Interrupting");
    String second = publish(client, "Next");

    awaitStatus(first, EventStatus.DONE);
    awaitStatus(second, EventStatus.DONE);
    assertThat(interrupted).containsExactly(false);
  }

  @Test
  void listenerThatBlocksForEverIsInterruptedAfterItsLongestTimeAndRetried() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1).setMaxHandlingTime("Stuck", Duration.ofMillis(100)),
            new DefaultListenerRegistry()
                .register(
                    "Stuck",
                    event -> {
                      if (runs.incrementAndGet() == 1) {
                        new CountDownLatch(1).await();
                      }
                    }));
    startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Stuck");

    awaitStatus(id, EventStatus.DONE);
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(1);
  }

  @Test
  void workerWhoseListenerIgnoresItsInterruptIsReplacedAndTheEventTakenUpAgain() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    OutboxConfig config =
        config()
            .setDispatcherWorkers(1)
            .setLeaseDuration(Duration.ofMillis(800))
            .setMaxHandlingTime("Deaf", Duration.ofMillis(100));
    OutboxDispatcher dispatcher =
        dispatcher(
            config,
            new DefaultListenerRegistry()
                .register(
                    "Deaf",
                    event -> {
                      if (runs.incrementAndGet() == 1) {
                        awaitDeaf(release);
                      }
                    })
                .register("Other", event -> {}));
    startedPoller(dispatcher);
    OutboxClient client = client(dispatcher);

    String deaf = publish(client, "Deaf");
    String other = publish(client, "Other");

    awaitStatus(other, EventStatus.DONE);
    awaitStatus(deaf, EventStatus.DONE);
    assertThat(runs).hasValue(2);
    release.countDown();
  }

  @Test
  @Spec("FRM-59")
  void noMoreListenersRunAtOnceThanThereAreWorkersAndEachOnItsOwnWorkerThread() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Set<String> threads = ConcurrentHashMap.newKeySet();
    CountDownLatch release = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(3),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      threads.add(Thread.currentThread().getName());
                      most.accumulateAndGet(running.incrementAndGet(), Math::max);
                      release.await();
                      running.decrementAndGet();
                    }));
    OutboxClient client = client(dispatcher);
    for (int i = 0; i < 20; i++) {
      publish(client, "Any");
    }

    awaitTrue(() -> running.get() == 3);
    release.countDown();
    dispatcher.close();

    assertThat(most).hasValue(3);
    assertThat(threads)
        .containsExactlyInAnyOrder("outbox-worker-1", "outbox-worker-2", "outbox-worker-3");
  }

  @Test
  @Spec({"FRM-03", "FRM-57", "FRM-71"})
  void listenersOfOneEventRunInTheOrderOfTheirRegistrationThenTheWildcards() throws Exception {
    List<String> order = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerAll(event -> order.add("wildcard"))
                .register("Any", event -> order.add("first"))
                .register("Any", event -> order.add("second")));

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(order).containsExactly("first", "second", "wildcard");
  }

  @Test
  void transactionalListenerWithoutTransactionsSaysWhatIsMissing() throws Exception {
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(config().setRetryMaxAttempts(1))
                .listeners(
                    new DefaultListenerRegistry()
                        .registerTransactional("Any", (event, connection) -> {}))
                .build());

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().lastError()).contains("transactions(");
  }

  @Test
  void retryPolicyThatFailsDelaysTheEventInsteadOfLosingIt() throws Exception {
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(config())
                .retries(
                    Retries.of(
                        attempts -> {
                          throw new IllegalStateException("no idea");
                        }))
                .listeners(
                    new DefaultListenerRegistry()
                        .registerAll(
                            event -> {
                              throw new IllegalStateException("fails");
                            }))
                .build());

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.RETRY);
  }

  @Test
  @Spec("FRM-81")
  void everyCounterOfTheMetricsIsReported() throws Exception {
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(1),
            new DefaultListenerRegistry()
                .register("Fine", event -> {})
                .register(
                    "Failing",
                    event -> {
                      throw new IllegalStateException();
                    }),
            metrics);
    OutboxClient client = new OutboxClient(txContext(), store(), dispatcher, metrics);
    publish(client, "Fine");
    publish(client, "Failing");
    store(EventEnvelope.ofJson("Fine", "{}"));

    closing(new OutboxPoller(connections(), store(), dispatcher, Duration.ZERO, 10, 1000, metrics))
        .poll();

    awaitTrue(() -> metrics.success() == 2 && metrics.dead() == 1);
    assertThat(metrics.failure()).isEqualTo(1);
    assertThat(metrics.hotEnqueued()).isEqualTo(2);
    assertThat(metrics.hotDropped()).isZero();
    assertThat(metrics.coldEnqueued()).isEqualTo(1);
    assertThat(metrics.depthReports()).isPositive();
    assertThat(metrics.oldestLagMs()).isNotNegative();
    MetricsExporter.NOOP.incrementHotEnqueued();
  }

  @Test
  @Spec({"FRM-77", "FRM-81", "FRM-82", "FRM-83"})
  void dropIsAWarningDeathIsAnErrorAndNeitherShowsThePayload() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(1).setDispatcherWorkers(1).setHotQueueCapacity(1),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      started.countDown();
                      release.await();
                      throw new IllegalStateException("refused");
                    }));
    OutboxClient client = new OutboxClient(txContext(), store(), dispatcher, metrics);

    try (LogCapture log = LogCapture.of("outbox")) {
      String dead = publish(client, EventEnvelope.ofJson("Any", "\"secret\""));
      started.await();
      publish(client, "Any");
      String dropped = publish(client, "Any");
      assertThat(metrics.hotDropped()).isEqualTo(1);
      assertThat(log.entries())
          .filteredOn(entry -> entry.contains("hot queue full"))
          .containsExactly(
              "WARNING hot queue full, left to the poller count=1 last="
                  + dropped
                  + "; raise hotQueueCapacity or dispatcherWorkers if this persists");
      assertThat(row(dropped).orElseThrow().status()).isEqualTo(EventStatus.NEW);
      release.countDown();
      awaitStatus(dead, EventStatus.DEAD);
      awaitTrue(
          () ->
              log.entries()
                  .contains(
                      "SEVERE event dead id="
                          + dead
                          + " type=Any attempts=1 reason=gave up after 1 attempt, last with"
                          + " java.lang.IllegalStateException"));

      assertThat(log.all()).noneMatch(line -> line.contains("secret"));
    }
  }

  @Test
  void virtualThreadsRunListenersOrSayWhichJdkTheyNeed() throws Exception {
    OutboxConfig config = config().setVirtualThreads(true);
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    if (Runtime.version().feature() < 21) {
      assertThatThrownBy(() -> dispatcher(config, listeners))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("JDK 21");
      return;
    }
    List<String> threads = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config, listeners.registerAll(event -> threads.add(Thread.currentThread().toString())));

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(threads.get(0)).startsWith("VirtualThread").contains("outbox-worker-");
  }

  private static void awaitDeaf(CountDownLatch latch) {
    boolean done = false;
    while (!done) {
      try {
        latch.await();
        done = true;
      } catch (InterruptedException e) {
        // Stands for a listener that ignores its interrupt.
      }
    }
  }
}

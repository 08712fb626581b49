package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.PermanentFailureException;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.DeadCount;
import outbox.model.DeadLetterFilter;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;

/** What the engine counts of events whose fates are known. */
interface MetricsRules extends OutboxUnderTest {

  @Test
  @Spec("IDEM-81")
  default void theMetricsOfAKnownSetOfEventsAreExact() throws Exception {
    CountingMetrics metrics = new CountingMetrics();
    Set<String> failedOnce = ConcurrentHashMap.newKeySet();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register("fine", event -> {})
                .register(
                    "second time lucky",
                    event -> {
                      if (failedOnce.add(event.eventId())) {
                        throw new IllegalStateException("not yet");
                      }
                    })
                .register(
                    "never",
                    event -> {
                      throw new PermanentFailureException("never");
                    }),
            metrics);
    storeAll("fine", 5);
    storeAll("second time lucky", 3);
    storeAll("never", 2);
    assertThat(backlog(100)).isEqualTo(10);
    assertThat(backlog(4)).isEqualTo(4);

    OutboxPoller poller =
        closing(
            new OutboxPoller(connections(), store(), dispatcher, Duration.ZERO, 200, 50, metrics));
    poller.start();

    awaitTrue(() -> metrics.success() == 8 && metrics.dead() == 2);
    assertThat(metrics.failure()).isEqualTo(3 + 2);
    assertThat(metrics.coldEnqueued()).isEqualTo(5 + 2 * 3 + 2);
    assertThat(metrics.hotEnqueued()).isZero();
    assertThat(metrics.leaseLost()).isZero();
    assertThat(backlog(100)).isZero();
    DeadCount dead =
        connections().inAutoCommit(c -> store().countDead(c, DeadLetterFilter.all(), 100));
    assertThat(dead).isEqualTo(new DeadCount(2, true));
    awaitTrue(() -> metrics.oldestLagMs() == 0 && metrics.depthReports() > 0);
    awaitTrue(() -> metrics.flushed() == 5 + 2 * 3 + 2);
    assertThat(metrics.claimed()).isEqualTo(5 + 2 * 3 + 2);
    assertThat(metrics.storeTime()).isPositive();
  }

  @Test
  @Spec("FRM-81")
  default void theDepthsOfBothLanesAreReportedEachAsItsOwn() throws Exception {
    CountingMetrics metrics = new CountingMetrics();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      started.countDown();
                      release.await();
                    }));
    OutboxClient client = client(dispatcher);
    publish(client, "running");
    started.await();
    publish(client, "hot");
    storeAll("cold", 3);

    closing(new OutboxPoller(connections(), store(), dispatcher, Duration.ZERO, 10, 1000, metrics))
        .poll();

    assertThat(metrics.hotDepth()).isEqualTo(1);
    assertThat(metrics.coldDepth()).isEqualTo(3);
    release.countDown();
  }

  /** The store's clock dates the events, so it must judge their age too. */
  @Test
  @Spec("FRM-81")
  default void theOldestLagIsTheAgeOfTheOldestByTheStoresClock() throws Exception {
    advance(Duration.ofHours(-5));
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}), metrics);
    OutboxPoller poller = poller(dispatcher);
    poller.poll();
    assertThat(metrics.oldestLagMs()).isZero();
    store(EventEnvelope.ofJson("old", "{}"));
    long stored = System.nanoTime();
    awaitTrue(() -> System.nanoTime() - stored > Duration.ofMillis(50).toNanos());

    poller.poll();

    long atMost = Duration.ofNanos(System.nanoTime() - stored).plusSeconds(1).toMillis();
    assertThat(metrics.oldestLagMs()).isBetween(50L, atMost);
  }

  private void storeAll(String type, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      store(EventEnvelope.ofJson(type, "{}"));
    }
  }

  private int backlog(int most) {
    return connections().inAutoCommit(c -> store().backlog(c, most));
  }
}

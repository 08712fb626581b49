package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.DefaultInFlightTracker;
import outbox.dispatch.InFlightTracker;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spi.MetricsExporter;

/** The constructors of the specification mean by each argument what the specification says. */
class SpecifiedConstructorsTest extends InMemoryOutbox {
  private static final int MAX_ATTEMPTS = 2;
  private static final int WORKERS = 3;
  private static final int HOT = 5;
  private static final int COLD = 7;

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
  void dispatcherAsksItsRetryPolicyAndItsTrackerAndStopsAtItsMostAttempts() throws Exception {
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
    OutboxDispatcher dispatcher =
        specified(
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      throw new IllegalStateException("always");
                    }),
            tracker);
    String id = store(EventEnvelope.ofJson("Any", "{}"));

    startedPoller(dispatcher);

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(MAX_ATTEMPTS);
    awaitTrue(() -> tracked.size() == 4);
    assertThat(tracked).containsExactly("+" + id, "-" + id, "+" + id, "-" + id);
  }

  @Test
  @Spec({"FRM-62", "FRM-63", "FRM-64"})
  void startedPollerLooksAgainAndAgainUntilItIsClosed() throws Exception {
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
    awaitTrue(() -> metrics.depthReports() > 3);
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

  private OutboxDispatcher specified(ListenerRegistry listeners, InFlightTracker tracker) {
    return closing(
        new OutboxDispatcher(
            connections(),
            store(),
            listeners,
            tracker,
            attempts -> 1,
            MAX_ATTEMPTS,
            WORKERS,
            HOT,
            COLD,
            MetricsExporter.NOOP));
  }

  private QueuedEvent stored(Source source) throws Exception {
    EventEnvelope event = EventEnvelope.ofJson("Any", "{}");
    store(event);
    return new QueuedEvent(event, source, 0);
  }
}

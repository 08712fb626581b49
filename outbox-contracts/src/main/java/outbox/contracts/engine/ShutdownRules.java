package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/** Closing drains, then gives back, and never gives back what still runs. */
interface ShutdownRules extends OutboxUnderTest {

  @Test
  @Spec("FRM-55")
  default void closeWorksOffWhatIsQueuedAndStoresEveryOutcome() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(2),
            new DefaultListenerRegistry().registerAll(event -> runs.incrementAndGet()));
    OutboxClient client = client(dispatcher);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      ids.add(publish(client, "Any"));
    }

    dispatcher.close();
    dispatcher.close();

    assertThat(runs).hasValue(50);
    assertThat(ids)
        .allSatisfy(id -> assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.DONE));
  }

  @Test
  default void closeGivesBackWhatItCouldNotWorkOffButNotWhatStillRuns() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1).setDrainTimeout(Duration.ofMillis(50)),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      started.countDown();
                      awaitIgnoringInterrupts(release);
                    }));
    OutboxClient client = client(dispatcher);
    String running = publish(client, "Any");
    started.await();
    String queued = publish(client, "Any");

    dispatcher.close();

    assertThat(row(queued).orElseThrow())
        .satisfies(row -> assertThat(row.owner()).isNull())
        .satisfies(row -> assertThat(row.status()).isEqualTo(EventStatus.NEW))
        .satisfies(row -> assertThat(row.attempts()).isZero());
    assertThat(row(running).orElseThrow().owner()).isNotNull();
    release.countDown();
  }

  @Test
  default void publishAfterCloseStoresTheEventForAnotherNode() throws Exception {
    OutboxDispatcher closed =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));
    OutboxClient client = client(closed);
    closed.close();

    String id = publish(client, "Any");

    assertThat(row(id).orElseThrow().owner()).isNull();
    assertThatThrownBy(
            () ->
                closed.enqueueHot(
                    new QueuedEvent(EventEnvelope.ofJson("Any", "{}"), Source.HOT, 0)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> poller(closed))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  private static void awaitIgnoringInterrupts(CountDownLatch latch) {
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

package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.PermanentFailureException;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.memory.InMemoryOutbox;

/** A paused dispatcher runs listeners when a caller says so, and only then. */
class RunDueTest extends InMemoryOutbox {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final List<String> handled = new CopyOnWriteArrayList<>();

  @Test
  void pausedItHandlesNothingUntilTheCallerRunsWhatIsDue() throws Exception {
    OutboxDispatcher dispatcher = paused(new DefaultListenerRegistry().register("Any", this::note));
    startedPoller(dispatcher);
    String id = publish(client(dispatcher), "Any");
    assertThat(row(id).orElseThrow().owner()).isNull();
    assertThat(handled).isEmpty();

    assertThat(dispatcher.runDue(LONG)).isEqualTo(1);

    assertThat(handled).containsExactly(id);
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  void runsMoreThanFitsIntoTheLaneAndWhatListenersPublish() throws Exception {
    AtomicReference<OutboxClient> client = new AtomicReference<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setColdQueueCapacity(10).setPollerBatchSize(5),
            new DefaultListenerRegistry()
                .register("First", event -> publish(client.get(), "Second"))
                .register("Second", this::note));
    dispatcher.pause();
    client.set(client(dispatcher));
    List<EventEnvelope> events =
        IntStream.range(0, 50).mapToObj(i -> EventEnvelope.ofJson("First", "{}")).toList();
    transactions().run(connection -> client.get().publishAll(events));

    assertThat(dispatcher.runDue(LONG)).isEqualTo(100);

    assertThat(handled).hasSize(50);
    assertThat(store().count(EventStatus.DONE)).isEqualTo(100);
  }

  @Test
  void leavesWhatIsDueLater() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(600_000),
            new DefaultListenerRegistry()
                .register(
                    "Any",
                    event -> {
                      note(event);
                      if (handled.size() == 1) {
                        throw new IllegalStateException("not yet");
                      }
                    }));
    dispatcher.pause();
    String id = publish(client(dispatcher), "Any");

    assertThat(dispatcher.runDue(LONG)).isEqualTo(1);
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.RETRY);

    advance(Duration.ofHours(1));
    assertThat(dispatcher.runDue(LONG)).isEqualTo(1);
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.DONE);
    assertThat(handled).hasSize(2);
  }

  @Test
  void waitsForWhatIsInFlightWithoutAPause() throws Exception {
    CountDownLatch published = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register(
                    "Any",
                    event -> {
                      published.await();
                      note(event);
                    }));
    String id = publish(client(dispatcher), "Any");
    published.countDown();

    assertThat(dispatcher.runDue(LONG)).isZero();

    assertThat(handled).containsExactly(id);
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  void onDeadHasBeenToldWhenItReturns() throws Exception {
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(config())
                .listeners(
                    new DefaultListenerRegistry()
                        .register(
                            "Any",
                            event -> {
                              throw new PermanentFailureException("never");
                            }))
                .onDead((name, letter) -> handled.add(letter.id().value()))
                .build());
    dispatcher.pause();
    String id = publish(client(dispatcher), "Any");

    assertThat(dispatcher.runDue(LONG)).isEqualTo(1);

    assertThat(handled).containsExactly(id);
  }

  @Test
  void givesUpWhenTheLimitIsOver() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        paused(new DefaultListenerRegistry().register("Any", event -> released.await()));
    publish(client(dispatcher), "Any");

    assertThatThrownBy(() -> dispatcher.runDue(Duration.ofMillis(50)))
        .isInstanceOf(TimeoutException.class)
        .hasMessage("1 events are still being handled after PT0.05S");

    released.countDown();
    assertThat(dispatcher.runDue(LONG)).isZero();
  }

  @Test
  void aListenerMustNotWaitForItself() throws Exception {
    AtomicReference<OutboxDispatcher> running = new AtomicReference<>();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    OutboxDispatcher dispatcher =
        paused(
            new DefaultListenerRegistry()
                .register(
                    "Any", event -> thrown.set(catchThrowable(() -> running.get().runDue(LONG)))));
    running.set(dispatcher);
    publish(client(dispatcher), "Any");

    assertThat(dispatcher.runDue(LONG)).isEqualTo(1);

    assertThat(thrown.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another thread");
  }

  @Test
  void resumedItTakesWhatWaitedAndWhatIsPublished() throws Exception {
    OutboxDispatcher dispatcher = paused(new DefaultListenerRegistry().register("Any", this::note));
    startedPoller(dispatcher);
    String waiting = publish(client(dispatcher), "Any");

    dispatcher.resume();

    awaitStatus(waiting, EventStatus.DONE);
    String next = publish(client(dispatcher), "Any");
    awaitStatus(next, EventStatus.DONE);
  }

  private OutboxDispatcher paused(DefaultListenerRegistry listeners) {
    OutboxDispatcher dispatcher = dispatcher(config(), listeners);
    dispatcher.pause();
    return dispatcher;
  }

  private void note(EventEnvelope event) {
    handled.add(event.eventId());
  }
}

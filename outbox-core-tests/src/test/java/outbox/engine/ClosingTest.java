package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.OutboxConfig;
import outbox.contracts.support.LogCapture;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.testing.memory.InMemoryOutbox;

/**
 * A dispatcher that is closed twice, or by one of its workers, ends once and leaves nothing behind.
 */
class ClosingTest extends InMemoryOutbox {
  private final Gate gate = new Gate();

  @Test
  void endsAllItsThreads() throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));
    awaitStatus(publish(client(dispatcher), "Any"), EventStatus.DONE);
    List<Thread> own =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> !before.contains(thread))
            .filter(thread -> thread.getName().startsWith("outbox-"))
            .toList();
    assertThat(own)
        .allMatch(Thread::isDaemon)
        .extracting(Thread::getName)
        .contains("outbox-timer", "outbox-store-1", "outbox-store-5", "outbox-worker-1");

    dispatcher.close();

    awaitTrue(() -> own.stream().noneMatch(Thread::isAlive));
  }

  @Test
  void whoClosesItASecondTimeWaitsForTheFirst() throws Exception {
    OutboxDispatcher dispatcher = gated();
    String id = publish(client(dispatcher), "Any");
    awaitTrue(() -> gate.entered() == 1);
    Thread first = closer(dispatcher);
    List<EventStatus> seen = new CopyOnWriteArrayList<>();
    Thread second =
        new Thread(
            () -> {
              dispatcher.close();
              seen.add(row(id).orElseThrow().status());
            });

    second.start();
    awaitTrue(() -> second.getState() == Thread.State.WAITING || !second.isAlive());
    gate.close();
    first.join();
    second.join();

    assertThat(seen).containsExactly(EventStatus.DONE);
  }

  @Test
  void listenerCanCloseItsDispatcher() throws Exception {
    List<String> closed = new CopyOnWriteArrayList<>();
    OutboxDispatcher[] dispatcher = new OutboxDispatcher[1];
    dispatcher[0] =
        dispatcher(
            patient(),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      dispatcher[0].close();
                      closed.add(event.eventId());
                    }));

    String id = publish(client(dispatcher[0]), "Any");

    awaitTrue(() -> closed.contains(id));
  }

  @Test
  void listenerThatClosesItMeanwhileDoesNotWait() throws Exception {
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    OutboxDispatcher[] dispatcher = new OutboxDispatcher[1];
    dispatcher[0] =
        dispatcher(
            patient(),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      gate.onEvent(event);
                      dispatcher[0].close();
                      interrupted.add(Thread.currentThread().isInterrupted());
                    }));
    publish(client(dispatcher[0]), "Any");
    awaitTrue(() -> gate.entered() == 1);
    Thread closer = closer(dispatcher[0]);

    gate.close();
    closer.join();

    assertThat(interrupted).containsExactly(false);
  }

  @Test
  void whoIsInterruptedBeforeClosingLosesNothingAndStaysInterrupted() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));
    String id = publish(client(dispatcher), "Any");

    Thread.currentThread().interrupt();
    dispatcher.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  void interruptEndsTheDrainAndTheCloserStaysInterrupted() throws Exception {
    OutboxDispatcher dispatcher = gated();
    String running = publish(client(dispatcher), "Any");
    awaitTrue(() -> gate.entered() == 1);
    String queued = publish(client(dispatcher), "Any");
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    Thread closer =
        new Thread(
            () -> {
              dispatcher.close();
              interrupted.add(Thread.currentThread().isInterrupted());
            });
    closer.start();
    awaitTrue(() -> !dispatcher.hasColdQueueCapacity());
    awaitTrue(() -> closer.getState() == Thread.State.TIMED_WAITING);

    closer.interrupt();
    closer.join();

    assertThat(interrupted).containsExactly(true);
    assertThat(gate.interrupted()).isEqualTo(1);
    assertThat(List.of(running, queued))
        .allSatisfy(id -> assertThat(row(id).orElseThrow().owner()).isNull())
        .allSatisfy(id -> assertThat(row(id).orElseThrow().attempts()).isZero());
  }

  @Test
  void drainsForAsLongAsTheDatabaseAnswers() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    OutboxDispatcher dispatcher =
        gated(
            () -> {
              opened.incrementAndGet();
              return connections().getConnection();
            });
    String id = publish(client(dispatcher), "Any");
    awaitTrue(() -> gate.entered() == 1);
    int before = opened.get();
    Thread closer = closer(dispatcher);

    awaitTrue(() -> opened.get() >= before + 6);
    gate.close();
    closer.join();

    assertThat(gate.interrupted()).isZero();
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  void doesNotDrainForADatabaseThatDoesNotAnswerAndSaysWhatIsNotStored() throws Exception {
    AtomicBoolean down = new AtomicBoolean();
    OutboxDispatcher dispatcher =
        gated(
            () -> {
              if (down.get()) {
                throw new SQLException("connection refused", "08001");
              }
              return connections().getConnection();
            });
    String id = publish(client(dispatcher), "Any");
    awaitTrue(() -> gate.entered() == 1);
    down.set(true);

    try (LogCapture log = LogCapture.of(OutboxDispatcher.class.getName())) {
      dispatcher.close();

      assertThat(log.entries())
          .contains(
              "WARNING closed with outcomes not stored count=1; their events are delivered again"
                  + " after leaseDuration");
    }
    awaitTrue(() -> gate.interrupted() == 1);
    assertThat(row(id).orElseThrow().owner()).isNotNull();
  }

  private OutboxDispatcher gated(ConnectionProvider provider) {
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(provider, store())
                .config(patient().setCloseTimeout(Duration.ofMillis(200)))
                .listeners(new DefaultListenerRegistry().registerAll(gate))
                .build());
    closing(gate);
    return dispatcher;
  }

  /** Drains for longer than any test takes. */
  private OutboxConfig patient() {
    return config().setDispatcherWorkers(1).setDrainTimeout(Duration.ofMinutes(2));
  }

  private OutboxDispatcher gated() {
    OutboxDispatcher dispatcher =
        dispatcher(patient(), new DefaultListenerRegistry().registerAll(gate));
    closing(gate);
    return dispatcher;
  }

  /** A thread that closes the dispatcher and waits for its listener. */
  private Thread closer(OutboxDispatcher dispatcher) {
    Thread closer = new Thread(dispatcher::close);
    closer.start();
    awaitTrue(() -> closer.getState() == Thread.State.TIMED_WAITING);
    return closer;
  }
}

package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.dispatch.MultiOutboxDispatcher;

/** A dispatcher of many stores that is closed twice ends once, with all of its stores. */
class StoreClosingTest extends ManyStores {
  private final Gate gate = new Gate();

  @Test
  void endsAllItsThreads() {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    Tenant tenant = tenant("one");
    fill(tenant, 1);
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> done(tenant) == 1);
    List<Thread> own =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> !before.contains(thread))
            .filter(thread -> thread.getName().startsWith("outbox-"))
            .toList();
    assertThat(own)
        .allMatch(Thread::isDaemon)
        .extracting(Thread::getName)
        .contains("outbox-timer", "outbox-store-1", "outbox-store-4", "outbox-worker-1")
        .doesNotContain("outbox-store-5");

    dispatcher.close();

    awaitTrue(() -> own.stream().noneMatch(Thread::isAlive));
  }

  @Test
  void whoClosesItASecondTimeWaitsForTheFirst() throws Exception {
    Tenant tenant = gated(1);
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> gate.entered() == 1);
    Thread first = closer(dispatcher);
    AtomicInteger closes = new AtomicInteger(-1);
    Thread second =
        new Thread(
            () -> {
              dispatcher.close();
              closes.set(done(tenant));
            });

    second.start();
    awaitTrue(() -> second.getState() == Thread.State.WAITING || !second.isAlive());
    gate.close();
    first.join();
    second.join();

    assertThat(closes).hasValue(1);
    assertThat(tenant.closes).hasValue(1);
  }

  @Test
  void listenerCanCloseItsDispatcher() {
    Tenant tenant = tenant("one");
    fill(tenant, 1);
    config.setDrainTimeout(Duration.ofMinutes(2)).setCloseTimeout(Duration.ofMillis(200));
    handlers.registerAll(
        event -> {
          awaitTrue(() -> running != null);
          Objects.requireNonNull(running).close();
        });

    start();

    awaitTrue(() -> tenant.closes.get() == 1);
  }

  @Test
  void listenerThatClosesItMeanwhileDoesNotWait() throws Exception {
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    fill(tenant("one"), 1);
    config.setDrainTimeout(Duration.ofMinutes(2));
    handlers.registerAll(
        event -> {
          gate.onEvent(event);
          Objects.requireNonNull(running).close();
          interrupted.add(Thread.currentThread().isInterrupted());
        });
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> gate.entered() == 1);
    Thread closer = closer(dispatcher);

    gate.close();
    closer.join();

    assertThat(interrupted).containsExactly(false);
  }

  @Test
  void whoIsInterruptedBeforeClosingLosesNothingAndStaysInterrupted() {
    Tenant tenant = tenant("one");
    fill(tenant, 5);
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> done(tenant) > 0);

    Thread.currentThread().interrupt();
    dispatcher.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(tenant.events.findAll()).allMatch(event -> event.owner() == null);
    assertThat(tenant.closes).hasValue(1);
  }

  @Test
  void interruptEndsTheDrainAndTheCloserStaysInterrupted() throws Exception {
    Tenant tenant = gated(3);
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> gate.entered() == 1);
    awaitTrue(() -> tenant.events.findAll().stream().allMatch(event -> event.owner() != null));
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    Thread closer =
        new Thread(
            () -> {
              dispatcher.close();
              interrupted.add(Thread.currentThread().isInterrupted());
            });
    closer.start();
    awaitTrue(() -> closer.getState() == Thread.State.TIMED_WAITING);

    closer.interrupt();
    closer.join();

    assertThat(interrupted).containsExactly(true);
    assertThat(gate.interrupted()).isEqualTo(1);
    assertThat(tenant.events.findAll())
        .allMatch(event -> event.owner() == null && event.event().attempts() == 0);
  }

  /** A store whose listeners wait at the gate, of a dispatcher that drains for long. */
  private Tenant gated(int events) {
    config
        .setPollerIntervalMs(3_600_000)
        .setDispatcherWorkers(1)
        .setDrainTimeout(Duration.ofMinutes(2));
    handlers.registerAll(gate);
    Tenant tenant = tenant("one");
    fill(tenant, events);
    return tenant;
  }

  /** A thread that closes the dispatcher and waits for its listener. */
  private static Thread closer(MultiOutboxDispatcher dispatcher) {
    Thread closer = new Thread(dispatcher::close);
    closer.start();
    awaitTrue(() -> closer.getState() == Thread.State.TIMED_WAITING);
    return closer;
  }
}

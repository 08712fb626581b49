package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import outbox.contracts.store.EventStoreContract;
import outbox.contracts.support.LogCapture;
import outbox.dispatch.DefaultInFlightTracker;
import outbox.dispatch.InFlightTracker;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.memory.InMemoryOutbox;

/** When an outcome is stored, and what happens until then. */
class CompletionTest extends InMemoryOutbox {
  private volatile boolean down;

  @Test
  void eventIsNotDoneWhileItsListenerRuns() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register(
                    "Slow",
                    event -> {
                      started.countDown();
                      release.await();
                    })
                .register("Quick", event -> {}));
    String slow = publish(client(dispatcher), "Slow");
    started.await();
    String quick = publish(client(dispatcher), "Quick");

    awaitStatus(quick, EventStatus.DONE);
    EventStoreContract.Row whileRunning = row(slow).orElseThrow();
    release.countDown();

    awaitStatus(slow, EventStatus.DONE);
    assertThat(whileRunning.status()).isEqualTo(EventStatus.NEW);
    assertThat(whileRunning.owner()).isNotNull();
  }

  @Test
  void eventStaysInFlightUntilItsOutcomeIsStored() throws Exception {
    RecordingTracker tracker = new RecordingTracker();
    OutboxDispatcher dispatcher = cutOffDispatcher(tracker);

    String id = handleDuringAnOutage(dispatcher);
    List<String> releasedDuringIt = List.copyOf(tracker.released);
    down = false;

    awaitStatus(id, EventStatus.DONE);
    assertThat(releasedDuringIt).isEmpty();
    awaitTrue(() -> tracker.released.equals(List.of(id)));
  }

  @Test
  void outcomeWhoseFlushFailedIsStoredBeforeTheDispatcherCloses() throws Exception {
    OutboxDispatcher dispatcher = cutOffDispatcher(new DefaultInFlightTracker());
    String id = handleDuringAnOutage(dispatcher);

    down = false;
    dispatcher.close();

    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.DONE);
  }

  private OutboxDispatcher cutOffDispatcher(InFlightTracker tracker) {
    return closing(
        OutboxDispatcher.builder(this::engineConnection, store())
            .config(config())
            .inFlightTracker(tracker)
            .listeners(new DefaultListenerRegistry().registerAll(event -> {}))
            .build());
  }

  /** Returns once the first flush has failed. Nothing but the flush uses the database meanwhile. */
  private String handleDuringAnOutage(OutboxDispatcher dispatcher) throws Exception {
    try (LogCapture log = LogCapture.of("outbox")) {
      down = true;
      String id = publish(client(dispatcher), "Any");
      awaitTrue(() -> log.errors().stream().anyMatch(line -> line.contains("unavailable")));
      return id;
    }
  }

  private Connection engineConnection() throws SQLException {
    if (down) {
      throw new SQLException("connection refused", "08001");
    }
    return connections().getConnection();
  }

  private static final class RecordingTracker implements InFlightTracker {
    private final InFlightTracker delegate = new DefaultInFlightTracker();
    private final List<String> released = new CopyOnWriteArrayList<>();

    @Override
    public boolean tryAcquire(String eventId) {
      return delegate.tryAcquire(eventId);
    }

    @Override
    public void release(String eventId) {
      delegate.release(eventId);
      released.add(eventId);
    }
  }
}

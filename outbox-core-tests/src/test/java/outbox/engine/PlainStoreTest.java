package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.TransactionalEventListener;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.EventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;
import outbox.testing.memory.InMemoryOutbox;

/** A store that knows no leases runs on a single node. */
class PlainStoreTest extends InMemoryOutbox {
  private final EventStore plain = new FiveMethods();

  @Test
  @Spec({"FRM-12", "FRM-46"})
  void plainStoreServesTheHotPath() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        plainDispatcher(
            new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId())));
    OutboxClient client = new OutboxClient(txContext(), plain, dispatcher, MetricsExporter.NOOP);

    String id = publish(client, "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(received).containsExactly(id);
  }

  @Test
  @Spec("FRM-97")
  void plainStoreAndPlainContextDeliverFromMemoryAfterTheCommitWithoutAPoller() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        plainDispatcher(
            new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId())));
    OutboxClient client = new OutboxClient(new FourMethods(), plain, dispatcher, metrics);

    String id = publish(client, "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(received).containsExactly(id);
    assertThat(metrics.hotEnqueued()).isEqualTo(1);
    assertThat(metrics.hotDropped()).isZero();
  }

  @Test
  @Spec("FRM-97")
  void plainStoreAndPlainContextDeliverOnceBesideAPollerAndNothingAfterARollback()
      throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        plainDispatcher(
            new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId())));
    OutboxClient client =
        new OutboxClient(new FourMethods(), plain, dispatcher, MetricsExporter.NOOP);
    plainPoller(dispatcher, Duration.ZERO).start();
    List<String> committed = new ArrayList<>();

    for (int i = 0; i < 50; i++) {
      assertThatThrownBy(
              () ->
                  transactions()
                      .run(
                          connection -> {
                            client.publish(EventEnvelope.ofJson("Any", "{}"));
                            throw new IllegalStateException("rolled back");
                          }))
          .hasMessage("rolled back");
      committed.add(publish(client, "Any"));
    }

    for (String id : committed) {
      awaitStatus(id, EventStatus.DONE);
    }
    dispatcher.close();
    assertThat(received).containsExactlyInAnyOrderElementsOf(committed);
  }

  @Test
  void limitsOfAPlainStoreAreSaidAtTheStart() {
    try (LogCapture log = LogCapture.of(OutboxDispatcher.class.getName())) {
      plainDispatcher(new DefaultListenerRegistry());

      assertThat(log.warnings())
          .singleElement(STRING)
          .contains("plain EventStore", "savepoint", "LeasedEventStore");
    }
  }

  @Test
  @Spec({"FRM-13", "FRM-62", "FRM-63"})
  void plainStoreServesTheColdPathWithRetriesAndDeath() throws Exception {
    OutboxDispatcher dispatcher =
        plainDispatcher(
            new DefaultListenerRegistry()
                .register(
                    "Failing",
                    event -> {
                      throw new IllegalStateException("no good");
                    })
                .register("Fine", event -> {}));
    String fine = store(EventEnvelope.ofJson("Fine", "{}"));
    String failing = store(EventEnvelope.ofJson("Failing", "{}"));

    plainPoller(dispatcher, Duration.ZERO).start();

    awaitStatus(fine, EventStatus.DONE);
    awaitStatus(failing, EventStatus.DEAD);
    assertThat(row(failing).orElseThrow().lastError()).contains("no good");
  }

  @Test
  @Spec({"FRM-67", "FRM-84"})
  void undecodableRowOfAPlainStoreEndsDeadAndIsSaidSo() {
    insertByOldVersion("row-7", "[1]");
    OutboxDispatcher dispatcher =
        plainDispatcher(new DefaultListenerRegistry().registerAll(event -> {}));

    try (LogCapture log = LogCapture.of("outbox")) {
      plainPoller(dispatcher, Duration.ZERO).poll();
      awaitStatus("row-7", EventStatus.DEAD);

      assertThat(log.entries())
          .filteredOn(entry -> entry.startsWith("SEVERE undecodable event=OutboxEvent[row-7 "))
          .hasSize(1);
    }
  }

  /** The store cannot be asked for them. */
  @Test
  @Spec({"FRM-58", "FRM-60"})
  void attemptsOfAQueuedEventCountTowardsItsLast() throws Exception {
    OutboxDispatcher dispatcher =
        plainDispatcher(
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      throw new IllegalStateException("no good");
                    }));
    EventEnvelope first = EventEnvelope.ofJson("Any", "{}");
    EventEnvelope last = EventEnvelope.ofJson("Any", "{}");
    store(first);
    store(last);

    dispatcher.enqueueCold(new QueuedEvent(first, Source.COLD, 0));
    dispatcher.enqueueHot(new QueuedEvent(last, Source.HOT, 1));

    awaitStatus(first.eventId(), EventStatus.RETRY);
    awaitStatus(last.eventId(), EventStatus.DEAD);
  }

  @Test
  @Spec({"FRM-50", "FRM-66"})
  void pollerSkipsRecentEventsOfAStoreWithoutLeases() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        plainDispatcher(
            new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId())));
    store(EventEnvelope.ofJson("Any", "{}"));

    plainPoller(dispatcher, Duration.ofHours(1)).poll();

    dispatcher.close();
    assertThat(received).isEmpty();
    assertThat(store().count(EventStatus.NEW)).isEqualTo(1);
  }

  @Test
  void eventsInFlightAreNotPolledOverAndOverWhileTheirListenersAreSlow() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        plainDispatcher(
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      release.await();
                      received.add(event.eventId());
                    }));
    for (int i = 0; i < 30; i++) {
      store(EventEnvelope.ofJson("Any", "{}"));
    }
    OutboxPoller poller = plainPoller(dispatcher, Duration.ZERO);

    poller.poll();
    poller.poll();
    release.countDown();
    poller.start();

    awaitTrue(() -> received.size() == 30);
    assertThat(received).doesNotHaveDuplicates();
  }

  @Test
  void eventWithoutListenerIsPutOffAndDoesNotBlockOthers() throws Exception {
    OutboxDispatcher dispatcher =
        plainDispatcher(new DefaultListenerRegistry().register("Known", event -> {}));
    for (int i = 0; i < 10; i++) {
      store(EventEnvelope.ofJson("Unknown", "{}"));
    }
    String known = store(EventEnvelope.ofJson("Known", "{}"));

    plainPoller(dispatcher, Duration.ZERO).start();

    awaitStatus(known, EventStatus.DONE);
  }

  @Test
  void listenerWhoseTransactionWasRolledBackRunsAgain() throws Exception {
    AtomicInteger mails = new AtomicInteger();
    AtomicInteger bookings = new AtomicInteger();
    TransactionalEventListener booking =
        (event, connection) -> {
          if (bookings.incrementAndGet() == 1) {
            throw new IllegalStateException("not yet");
          }
        };
    TransactionRunner failsAtItsSecondCommit =
        work ->
            transactions()
                .run(
                    connection -> {
                      work.run(connection);
                      if (bookings.get() == 2) {
                        throw new IllegalStateException("not committed");
                      }
                    });
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), plain)
                .config(config().setRetryMaxAttempts(9))
                .transactions(failsAtItsSecondCommit)
                .listeners(
                    new DefaultListenerRegistry()
                        .register(
                            "Any",
                            "mail",
                            event -> {
                              if (mails.incrementAndGet() < 3) {
                                throw new IllegalStateException("no mail");
                              }
                            })
                        .registerTransactional("Any", "booking", booking))
                .build());
    String id = store(EventEnvelope.ofJson("Any", "{}"));

    plainPoller(dispatcher, Duration.ZERO).start();

    awaitStatus(id, EventStatus.DONE);
    assertThat(bookings).hasValue(3);
  }

  @Test
  void pollerRefusesAnotherStoreThanTheDispatchers() {
    OutboxDispatcher dispatcher = plainDispatcher(new DefaultListenerRegistry());

    assertThatThrownBy(() -> poller(dispatcher))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("eventStore");
  }

  private OutboxDispatcher plainDispatcher(DefaultListenerRegistry listeners) {
    return closing(
        OutboxDispatcher.builder(connections(), plain)
            .config(config().setRetryMaxAttempts(2))
            .listeners(listeners)
            .build());
  }

  private OutboxPoller plainPoller(OutboxDispatcher dispatcher, Duration skipRecent) {
    return closing(
        new OutboxPoller(
            connections(), plain, dispatcher, skipRecent, 10, 20, MetricsExporter.NOOP));
  }

  /** The context of the application that implements no more than it must. */
  private final class FourMethods implements TxContext {
    @Override
    public boolean isTransactionActive() {
      return txContext().isTransactionActive();
    }

    @Override
    public Connection currentConnection() {
      return txContext().currentConnection();
    }

    @Override
    public void afterCommit(Runnable callback) {
      txContext().afterCommit(callback);
    }

    @Override
    public void afterRollback(Runnable callback) {
      txContext().afterRollback(callback);
    }
  }

  /** The store of the application that implements no more than it must. */
  private final class FiveMethods implements EventStore {
    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
      store().insertNew(conn, event);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
      return store().markDone(conn, eventId);
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
      return store().markRetry(conn, eventId, nextAt, error);
    }

    @Override
    public int markDead(Connection conn, String eventId, @Nullable String error) {
      return store().markDead(conn, eventId, error);
    }

    @Override
    public List<OutboxEvent> pollPending(
        Connection conn, Instant now, Duration skipRecent, int limit) {
      return store().pollPending(conn, now, skipRecent, limit);
    }
  }
}

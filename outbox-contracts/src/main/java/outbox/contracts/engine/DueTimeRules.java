package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.DeferException;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxClient;
import outbox.OutboxMessage;
import outbox.RetryAfterException;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;

/** What a node stores for later it claims at its time, however long its poller's pause is. */
interface DueTimeRules extends OutboxUnderTest {
  Duration SOON = Duration.ofMillis(300);
  Duration PAUSE = Duration.ofHours(1);

  /** By how much the clock of a database server may differ from the one of this machine. */
  Duration GRACE = Duration.ofMillis(50);

  @Test
  default void eventPublishedForLaterIsClaimedAtItsTime() throws Exception {
    List<Instant> handled = new CopyOnWriteArrayList<>();
    LeasedEventStore events = storeWithoutLooks();
    OutboxDispatcher dispatcher =
        dispatcher(
            events, new DefaultListenerRegistry().registerAll(event -> handled.add(Instant.now())));
    claimOnDemand(events, dispatcher);
    Instant due = Instant.now().plus(SOON);

    String id =
        publish(
            client(events, dispatcher),
            EventEnvelope.builder("Later").payloadJson("{}").dueAt(due).build());

    awaitStatus(id, EventStatus.DONE);
    assertThat(handled).singleElement().satisfies(at -> assertThat(at).isAfterOrEqualTo(due));
  }

  @Test
  @Spec("OBX-006")
  default void eventIsClaimedAtItsTimeByANodeWhoseClockIsBehindTheStores() throws Exception {
    assertHandledInTime(Duration.ofHours(1));
  }

  @Test
  @Spec("OBX-006")
  default void eventIsClaimedAtItsTimeByANodeWhoseClockIsAheadOfTheStores() throws Exception {
    assertHandledInTime(Duration.ofHours(-1));
  }

  private void assertHandledInTime(Duration storeAhead) throws Exception {
    advance(storeAhead);
    List<Instant> handled = new CopyOnWriteArrayList<>();
    LeasedEventStore events = storeWithoutLooks();
    OutboxDispatcher dispatcher =
        dispatcher(
            events, new DefaultListenerRegistry().registerAll(event -> handled.add(Instant.now())));
    claimOnDemand(events, dispatcher);
    Instant due = Instant.now().plus(SOON);

    String id =
        publish(
            client(events, dispatcher),
            EventEnvelope.builder("Later").payloadJson("{}").dueAt(due.plus(storeAhead)).build());

    awaitStatus(id, EventStatus.DONE);
    assertThat(handled)
        .singleElement()
        .satisfies(at -> assertThat(at).isAfterOrEqualTo(due.minus(GRACE)));
  }

  @Test
  default void eachMessageEnqueuedForLaterIsClaimedAtItsTime() {
    List<String> handled = new CopyOnWriteArrayList<>();
    LeasedEventStore events = storeWithoutLooks();
    OutboxDispatcher dispatcher =
        dispatcher(
            events,
            new DefaultListenerRegistry().registerAll(event -> handled.add(event.payloadJson())));
    claimOnDemand(events, dispatcher);
    Outbox outbox =
        OutboxBuilder.of(connections(), store()).onStoredForLater(dispatcher.dueListener()).build();
    // Late enough for a slow machine to have stored all three.
    Instant first = Instant.now().plusSeconds(2);

    outbox.enqueue("Later", "third", facts -> facts.dueAt(first.plus(SOON.multipliedBy(2))));
    outbox.enqueue("Later", "first", facts -> facts.dueAt(first));
    outbox.enqueue("Later", "second", facts -> facts.dueAt(first.plus(SOON)));

    awaitTrue(() -> handled.size() == 3);
    assertThat(handled).containsExactly("first", "second", "third");
  }

  @Test
  @Spec("OBX-006")
  default void whatTheQueuePutsOffIsClaimedAtItsTimeByANodeWhoseClockIsBehindTheStores() {
    assertQueueInTime(Duration.ofHours(1));
  }

  @Test
  @Spec("OBX-006")
  default void whatTheQueuePutsOffIsClaimedAtItsTimeByANodeWhoseClockIsAheadOfTheStores() {
    assertQueueInTime(Duration.ofHours(-1));
  }

  private void assertQueueInTime(Duration storeAhead) {
    advance(storeAhead);
    List<String> handled = new CopyOnWriteArrayList<>();
    LeasedEventStore events = storeWithoutLooks();
    OutboxDispatcher dispatcher =
        dispatcher(
            events,
            new DefaultListenerRegistry().registerAll(event -> handled.add(event.payloadJson())));
    Outbox outbox =
        OutboxBuilder.of(connections(), store()).onStoredForLater(dispatcher.dueListener()).build();
    outbox.enqueue("Later", "deferred");
    OwnerToken owner = OwnerToken.random();
    List<MessageId> claimed =
        outbox.claim(owner, PAUSE, 1).stream().map(OutboxMessage::id).toList();
    claimOnDemand(events, dispatcher);

    outbox.defer(owner, claimed, SOON);
    outbox.enqueue(
        "Later", "enqueued", facts -> facts.dueAt(Instant.now().plus(storeAhead).plus(SOON)));

    awaitTrue(() -> handled.size() == 2);
    assertThat(handled).containsExactlyInAnyOrder("deferred", "enqueued");
  }

  @Test
  default void retriesAndDeferralsAreClaimedAtTheirTime() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    LeasedEventStore events = storeWithoutLooks();
    OutboxDispatcher dispatcher =
        dispatcher(
            events,
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      switch (runs.incrementAndGet()) {
                        case 1 -> throw new RetryAfterException(SOON, "busy");
                        case 2 -> throw new DeferException(SOON);
                        default -> {}
                      }
                    }));
    claimOnDemand(events, dispatcher);

    String id = publish(client(events, dispatcher), "Busy");

    awaitStatus(id, EventStatus.DONE);
    assertThat(runs).hasValue(3);
  }

  /**
   * Has pollers that claim only when there is a reason to, as those do whose pauses have become
   * long: no look into the store finds anything.
   */
  private LeasedEventStore storeWithoutLooks() {
    LeasedEventStore store = store();
    return (LeasedEventStore)
        Proxy.newProxyInstance(
            LeasedEventStore.class.getClassLoader(),
            new Class<?>[] {LeasedEventStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("mayHaveDue")) {
                return false;
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private OutboxDispatcher dispatcher(LeasedEventStore events, DefaultListenerRegistry listeners) {
    return closing(
        OutboxDispatcher.builder(connections(), events)
            .config(config().setDispatcherWorkers(1))
            .listeners(listeners)
            .build());
  }

  private void claimOnDemand(LeasedEventStore events, OutboxDispatcher dispatcher) {
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                connections(),
                events,
                dispatcher,
                Duration.ZERO,
                10,
                PAUSE.toMillis(),
                MetricsExporter.NOOP));
    poller.start();
  }

  private OutboxClient client(LeasedEventStore events, OutboxDispatcher dispatcher) {
    return new OutboxClient(txContext(), events, dispatcher, MetricsExporter.NOOP);
  }
}

package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.contracts.support.LogCapture;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/** Many events of one transaction that are published by one call. */
interface BulkPublishRules extends OutboxUnderTest {

  @Test
  default void manyAreDeliveredFromMemoryInTheirOrder() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher = dispatcher(config().setDispatcherWorkers(1), receiving(received));
    List<EventEnvelope> events = events(50);

    List<String> ids = publishAll(client(dispatcher), events);

    assertThat(ids).isEqualTo(events.stream().map(EventEnvelope::eventId).toList());
    for (String id : ids) {
      awaitStatus(id, EventStatus.DONE);
    }
    assertThat(received).as("no poller runs").isEqualTo(ids);
  }

  @Test
  default void noneOfManyIsDeliveredIfTheirTransactionRollsBack() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher = dispatcher(config(), receiving(received));
    OutboxClient client = client(dispatcher);
    List<EventEnvelope> events = events(3);

    assertThatThrownBy(
            () ->
                transactions()
                    .run(
                        connection -> {
                          client.publishAll(events);
                          throw new IllegalStateException("changed my mind");
                        }))
        .hasMessage("changed my mind");
    String last = publish(client, "Last");
    awaitStatus(last, EventStatus.DONE);
    dispatcher.close();

    assertThat(received).containsExactly(last);
    assertThat(row(events.get(0).eventId())).isEmpty();
  }

  @Test
  default void whatHasNoRoomInMemoryIsLeftFreeForAPoller() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1).setHotQueueCapacity(2),
            new DefaultListenerRegistry().registerAll(event -> release.await()));
    OutboxClient client = client(dispatcher);
    publish(client, "Any");
    awaitTrue(() -> dispatcher.prepareHot(EventEnvelope.ofJson("Any", ""), false).lease() != null);
    assertThat(dispatcher.prepareHot(events(3), false).stream().map(each -> each.lease() != null))
        .as("a lease in vain costs two statements")
        .containsExactly(true, true, false);

    List<String> ids = publishAll(client, events(4));

    assertThat(ids.stream().map(id -> row(id).orElseThrow().owner() != null))
        .containsExactly(true, true, false, false);
    release.countDown();
    startedPoller(dispatcher);
    for (String id : ids) {
      awaitStatus(id, EventStatus.DONE);
    }
  }

  @Test
  default void whatIsDueLaterAmongManyWaitsForItsTimeAndTheOthersDoNot() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher = dispatcher(config(), receiving(received));
    EventEnvelope later =
        EventEnvelope.builder("Any")
            .payloadJson("{}")
            .dueAt(Instant.now().plus(Duration.ofHours(1)))
            .build();
    List<EventEnvelope> events = new ArrayList<>(events(2));
    events.add(1, later);

    List<String> ids = publishAll(client(dispatcher), events);

    awaitStatus(ids.get(0), EventStatus.DONE);
    awaitStatus(ids.get(2), EventStatus.DONE);
    assertThat(row(later.eventId()).orElseThrow().status()).isEqualTo(EventStatus.NEW);
    assertThat(row(later.eventId()).orElseThrow().owner()).isNull();
    assertThat(received).containsExactlyInAnyOrder(ids.get(0), ids.get(2));
  }

  @Test
  default void ofManyWithTheSameKeyOneIsDelivered() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher = dispatcher(config(), receiving(received));
    OutboxClient client = client(dispatcher);
    String before = publish(client, keyed("before").build());
    EventEnvelope plain = EventEnvelope.ofJson("Any", "{}");
    EventEnvelope first = keyed("key").build();
    EventEnvelope dueLater =
        keyed("a key that sorts first").dueAt(Instant.now().plus(Duration.ofHours(1))).build();

    List<String> ids;
    try (LogCapture log = LogCapture.of("outbox.messages")) {
      ids =
          publishAll(
              client,
              List.of(plain, keyed("before").build(), first, keyed("key").build(), dueLater));
      assertThat(log.debugs())
          .filteredOn(line -> line.contains("OUTBOX_WORKER_DUPLICATE"))
          .hasSize(2);
    }

    assertThat(ids)
        .containsExactly(
            plain.eventId(), before, first.eventId(), first.eventId(), dueLater.eventId());
    for (String id : List.of(before, plain.eventId(), first.eventId())) {
      awaitStatus(id, EventStatus.DONE);
    }
    dispatcher.close();
    assertThat(received).containsExactlyInAnyOrder(before, plain.eventId(), first.eventId());
  }

  @Test
  default void noneAreNothingAndWithoutATransactionManyAreRefused() throws Exception {
    OutboxClient client = client(dispatcher(config(), new DefaultListenerRegistry()));

    assertThat(publishAll(client, List.of())).isEmpty();
    assertThatThrownBy(() -> client.publishAll(events(2)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("publish needs an active transaction");
  }

  private List<String> publishAll(OutboxClient client, List<EventEnvelope> events)
      throws Exception {
    List<String> ids = new ArrayList<>();
    transactions().run(connection -> ids.addAll(client.publishAll(events)));
    return ids;
  }

  private static DefaultListenerRegistry receiving(List<String> received) {
    return new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId()));
  }

  private static EventEnvelope.Builder keyed(String key) {
    return EventEnvelope.builder("Any").payloadJson("{}").tenantId("acme").idempotencyKey(key);
  }

  private static List<EventEnvelope> events(int count) {
    return IntStream.range(0, count).mapToObj(i -> EventEnvelope.ofJson("Any", "{}")).toList();
  }
}

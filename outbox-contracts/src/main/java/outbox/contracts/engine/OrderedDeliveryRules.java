package outbox.contracts.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxClient;
import outbox.contracts.support.CountingMetrics;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.OrderedEvents;

/** The events of an ordering key are handled one at a time, in the order of their commits. */
interface OrderedDeliveryRules extends OutboxUnderTest {

  @Test
  default void eventsOfAKeyAreHandledInOrderFromMemory() throws Exception {
    Account account = new Account();
    OutboxClient client = client(dispatcher(config(), account.listeners()));

    List<EventEnvelope> events = events(300, 7);
    for (EventEnvelope event : events) {
      publish(client, event);
    }

    awaitTrue(() -> account.count() == events.size());
    account.requireOrder(events);
  }

  @Test
  default void eventsOfATransactionAreHandledInTheOrderOfTheirPublication() throws Exception {
    Account account = new Account();
    OutboxClient client = client(dispatcher(config(), account.listeners()));

    List<EventEnvelope> events = events(60, 3);
    transactions()
        .run(
            connection -> {
              events.subList(0, 20).forEach(client::publish);
              client.publishAll(events.subList(20, 50));
              client.publishAll(events.subList(50, 60));
            });

    awaitTrue(() -> account.count() == events.size());
    account.requireOrder(events);
  }

  @Test
  default void eventsOfOtherKeysAreNotHeldUp() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<String> handled = new CopyOnWriteArrayList<>();
    OutboxClient client =
        client(
            dispatcher(
                config(),
                new DefaultListenerRegistry()
                    .registerAll(
                        event -> {
                          if (event.eventId().equals("slow")) {
                            release.await();
                          }
                          handled.add(event.eventId());
                        })));
    publish(client, ordered("slow", "a"));
    publish(client, ordered("behind", "a"));
    publish(client, ordered("other", "b"));
    String free = publish(client, EventEnvelope.ofJson("Type", "{}"));

    awaitTrue(() -> handled.containsAll(List.of("other", free)));
    assertThat(row("behind").orElseThrow().status()).isEqualTo(EventStatus.WAITING);
    release.countDown();
    awaitStatus("behind", EventStatus.DONE);
    assertThat(handled).endsWith("slow", "behind");
  }

  @Test
  default void aKeyWaitsWhileItsEventIsRetried() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    List<String> handled = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      handled.add(event.eventId());
                      if (event.eventId().equals("a1") && tries.incrementAndGet() < 4) {
                        throw new IllegalStateException("not yet");
                      }
                    }));
    OutboxClient client = client(dispatcher);
    startedPoller(dispatcher);
    publish(client, ordered("a1", "a"));
    publish(client, ordered("a2", "a"));
    publish(client, ordered("b1", "b"));

    awaitStatus("a2", EventStatus.DONE);
    awaitStatus("b1", EventStatus.DONE);
    assertThat(handled)
        .filteredOn(id -> id.startsWith("a"))
        .containsExactly("a1", "a1", "a1", "a1", "a2");
  }

  @Test
  default void aDeadEventHoldsItsKeyUntilItIsReplayed() throws Exception {
    AtomicInteger broken = new AtomicInteger(1);
    List<String> handled = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(1),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      if (event.eventId().equals("a1") && broken.get() == 1) {
                        throw new IllegalStateException("broken");
                      }
                      handled.add(event.eventId());
                    }));
    OutboxClient client = client(dispatcher);
    OutboxPoller poller = startedPoller(dispatcher);
    publish(client, ordered("a1", "a"));
    publish(client, ordered("a2", "a"));
    awaitStatus("a1", EventStatus.DEAD);
    publish(client, ordered("a3", "a"));
    publish(client, ordered("b1", "b"));
    awaitStatus("b1", EventStatus.DONE);
    assertThat(row("a2").orElseThrow().status()).isEqualTo(EventStatus.WAITING);

    broken.set(0);
    try (Connection connection = connections().getConnection()) {
      store().replay(connection, List.of("a1"), "operator", false, null);
    }
    poller.poll();
    awaitStatus("a3", EventStatus.DONE);
    assertThat(handled).filteredOn(id -> id.startsWith("a")).containsExactly("a1", "a2", "a3");
  }

  @Test
  default void aDeadEventReleasesItsKeyIfItsTopicSaysSo() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(config())
                .retries("Type", Retries.fixed(Duration.ofMillis(1)).maxAttempts(1).releasingKey())
                .listeners(
                    new DefaultListenerRegistry()
                        .registerAll(
                            event -> {
                              if (event.eventId().equals("a1")) {
                                throw new IllegalStateException("broken");
                              }
                              handled.add(event.eventId());
                            }))
                .build());
    OutboxClient client = client(dispatcher);
    for (String id : List.of("a1", "a2", "a3")) {
      publish(client, ordered(id, "a"));
    }

    awaitStatus("a3", EventStatus.DONE);
    assertThat(row("a1").orElseThrow().status()).isEqualTo(EventStatus.DEAD);
    assertThat(handled).containsExactly("a2", "a3");
  }

  @Test
  default void anExpiredEventDoesNotHoldItsKey() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      if (event.eventId().equals("a1")) {
                        release.await();
                      }
                    }));
    OutboxClient client = client(dispatcher);
    publish(client, ordered("a1", "a"));
    java.time.Instant soon = java.time.Instant.now().plusMillis(50);
    publish(
        client,
        EventEnvelope.builder("Type")
            .eventId("a2")
            .orderingKey("a")
            .expiresAt(soon)
            .payloadJson("{}")
            .build());
    publish(client, ordered("a3", "a"));
    awaitTrue(() -> java.time.Instant.now().isAfter(soon.plusMillis(50)));
    release.countDown();

    awaitStatus("a3", EventStatus.DONE);
    assertThat(row("a2").orElseThrow().status()).isEqualTo(EventStatus.DEAD);
  }

  @Test
  default void severalNodesKeepTheOrderTogether() throws Exception {
    Account account = new Account();
    List<OutboxClient> clients = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      OutboxDispatcher dispatcher = dispatcher(config(), account.listeners());
      startedPoller(dispatcher);
      clients.add(client(dispatcher));
    }
    List<EventEnvelope> events = events(240, 4);
    for (int i = 0; i < events.size(); i++) {
      publish(clients.get(i % clients.size()), events.get(i));
    }

    awaitTrue(() -> account.count() == events.size());
    account.requireOrder(events);
  }

  @Test
  default void publishersOfTheSameKeysAreInTheOrderOfTheirCommits() throws Exception {
    Account account = new Account();
    OutboxClient client = client(dispatcher(config(), account.listeners()));
    int publishers = 8;
    int each = 25;
    Map<String, List<String>> committed = new ConcurrentHashMap<>();
    List<Thread> threads =
        IntStream.range(0, publishers)
            .mapToObj(
                publisher ->
                    new Thread(
                        () -> {
                          for (int i = 0; i < each; i++) {
                            String key = "key" + (publisher + i) % 3;
                            EventEnvelope event = ordered(publisher + "-" + i, key);
                            try {
                              // The key is locked between the publication and the commit.
                              transactions()
                                  .run(
                                      connection -> {
                                        client.publish(event);
                                        committed
                                            .computeIfAbsent(
                                                key, any -> new CopyOnWriteArrayList<>())
                                            .add(event.eventId());
                                      });
                            } catch (Exception e) {
                              throw new IllegalStateException(e);
                            }
                          }
                        }))
            .toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }

    awaitTrue(() -> account.count() == publishers * each);
    assertThat(account.handled).isEqualTo(committed);
    assertThat(account.overlaps).isEmpty();
  }

  @Test
  default void whatADeadProcessLeftBehindIsStarted() throws Exception {
    OrderedEvents ordered = requireNonNull(store().ordered());
    try (Connection connection = connections().getConnection()) {
      ordered.insert(connection, ordered("a1", "a"), new Lease("dead", Duration.ofMinutes(1)));
      ordered.insert(connection, ordered("a2", "a"), null);
      store().ack(connection, "dead", List.of("a1"));
    }
    Account account = new Account();
    OutboxDispatcher dispatcher =
        dispatcher(config().setLeaseDuration(Duration.ofSeconds(2)), account.listeners());
    startedPoller(dispatcher);

    awaitStatus("a2", EventStatus.DONE);
  }

  @Test
  default void whatACloseLeavesIsHandledInOrderByAnotherNode() throws Exception {
    Account account = new Account();
    List<EventEnvelope> events = events(120, 3);
    try (OutboxDispatcher first = dispatcher(config(), account.listeners())) {
      OutboxClient client = client(first);
      for (EventEnvelope event : events) {
        publish(client, event);
      }
    }
    OutboxDispatcher second = dispatcher(config(), account.listeners());
    startedPoller(second);

    awaitTrue(() -> account.count() == events.size());
    account.requireOrder(events);
  }

  @Test
  default void transactionalListenersKeepTheOrder() throws Exception {
    Account account = new Account();
    OutboxClient client =
        client(
            dispatcher(
                config(),
                new DefaultListenerRegistry()
                    .registerTransactional("Type", (event, connection) -> account.handle(event))));
    List<EventEnvelope> events = events(90, 3);
    for (EventEnvelope event : events) {
      publish(client, event);
    }

    awaitTrue(() -> account.count() == events.size());
    account.requireOrder(events);
  }

  @Test
  default void theHotLaneBeingFullBreaksNoOrder() throws Exception {
    Account account = new Account();
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setHotQueueCapacity(2).setColdQueueCapacity(2).setDispatcherWorkers(1),
            account.listeners(),
            metrics);
    OutboxClient client = client(dispatcher);
    startedPoller(dispatcher);
    List<EventEnvelope> events = events(120, 5);
    for (EventEnvelope event : events) {
      publish(client, event);
    }

    awaitTrue(() -> account.count() == events.size());
    account.requireOrder(events);
  }

  private static List<EventEnvelope> events(int count, int keys) {
    return IntStream.range(0, count).mapToObj(i -> ordered("e" + i, "key" + i % keys)).toList();
  }

  private static EventEnvelope ordered(String eventId, String key) {
    return EventEnvelope.builder("Type")
        .eventId(eventId)
        .orderingKey(key)
        .payloadJson("{}")
        .build();
  }

  /** What was handled, by key, and which handlers of a key ran at the same time. */
  final class Account {
    final Map<String, List<String>> handled = new ConcurrentHashMap<>();
    final Set<String> overlaps = ConcurrentHashMap.newKeySet();
    private final Map<String, String> running = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();

    DefaultListenerRegistry listeners() {
      EventListener listener = this::handle;
      return new DefaultListenerRegistry().registerAll(listener);
    }

    void handle(EventEnvelope event) {
      String key = requireNonNull(event.orderingKey());
      String other = running.put(key, event.eventId());
      if (other != null) {
        overlaps.add(other + " and " + event.eventId());
      }
      handled.computeIfAbsent(key, any -> new CopyOnWriteArrayList<>()).add(event.eventId());
      running.remove(key);
      count.incrementAndGet();
    }

    int count() {
      return count.get();
    }

    void requireOrder(List<EventEnvelope> published) {
      Map<String, List<String>> expected = new ConcurrentHashMap<>();
      published.forEach(
          event ->
              expected
                  .computeIfAbsent(requireNonNull(event.orderingKey()), any -> new ArrayList<>())
                  .add(event.eventId()));
      assertThat(handled).isEqualTo(expected);
      assertThat(overlaps).isEmpty();
    }
  }
}

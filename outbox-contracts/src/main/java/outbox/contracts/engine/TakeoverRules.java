package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.contracts.store.EventStoreContract;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Lease;

/** Who holds an event, for how long, and what happens when its holder is gone. */
interface TakeoverRules extends OutboxUnderTest {
  Duration SHORT_LEASE = Duration.ofMillis(1500);

  default OutboxConfig shortLease() {
    return config().setLeaseDuration(SHORT_LEASE);
  }

  @Test
  default void eventsOfADeadNodeAreTakenOverAfterTheirLease() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    String id = insertLeased(EventEnvelope.ofJson("Left", "{}"), "dead-node", SHORT_LEASE);
    OutboxDispatcher survivor =
        dispatcher(
            shortLease(),
            new DefaultListenerRegistry().registerAll(event -> handled.add(event.eventId())));

    startedPoller(survivor);

    awaitStatus(id, EventStatus.DONE);
    assertThat(handled).containsExactly(id);
  }

  @Test
  @Spec({"OBX-047", "OBX-100"})
  default void pollerReapsExpiredLeasesThatItHasNoRoomToTakeOver() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    OutboxDispatcher busy =
        dispatcher(
            config()
                .setLeaseDuration(Duration.ofMillis(300))
                .setDispatcherWorkers(1)
                .setColdQueueCapacity(1),
            new DefaultListenerRegistry().registerAll(event -> release.await()));
    OutboxPoller poller = poller(busy);
    String running = store(EventEnvelope.ofJson("Running", "{}"));
    String waiting = store(EventEnvelope.ofJson("Waiting", "{}"));
    awaitTrue(
        () -> {
          poller.poll();
          return row(running).orElseThrow().owner() != null
              && row(waiting).orElseThrow().owner() != null;
        });
    for (int time = 1; time <= 2; time++) {
      String left =
          insertLeased(EventEnvelope.ofJson("Left", "{}"), "dead-node", Duration.ofMillis(1));
      try (LogCapture log = LogCapture.of("outbox.dispatch.StorePoller")) {
        awaitTrue(
            () -> {
              poller.poll();
              return row(left).orElseThrow().owner() == null;
            });

        assertThat(row(left).orElseThrow().status()).isEqualTo(EventStatus.NEW);
        assertThat(log.entries()).contains("INFO expired leases cleared count=1");
      }
    }
    release.countDown();
  }

  @Test
  default void leasedEventIsNotTouchedByAnotherNodesPoller() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    String id = insertLeased(EventEnvelope.ofJson("Leased", "{}"), "other", Duration.ofMinutes(10));
    OutboxDispatcher dispatcher =
        dispatcher(
            config(), new DefaultListenerRegistry().registerAll(event -> runs.incrementAndGet()));

    poller(dispatcher).poll();
    dispatcher.close();

    assertThat(runs).hasValue(0);
    assertThat(row(id).orElseThrow().owner()).isEqualTo("other");
  }

  @Test
  default void listenerSlowerThanItsLeaseRunsOnceBecauseTheLeaseIsRenewed() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    DefaultListenerRegistry listeners =
        new DefaultListenerRegistry()
            .registerAll(
                event -> {
                  runs.incrementAndGet();
                  release.await();
                });
    OutboxDispatcher slow = dispatcher(shortLease(), listeners);
    OutboxDispatcher other = dispatcher(shortLease(), listeners);
    startedPoller(other);
    startedPoller(slow);
    String id = publish(client(slow), "Slow");
    Instant leasedUntil = row(id).orElseThrow().availableAt();

    awaitTrue(() -> row(id).orElseThrow().availableAt().isAfter(leasedUntil.plus(SHORT_LEASE)));
    release.countDown();

    awaitStatus(id, EventStatus.DONE);
    assertThat(runs).hasValue(1);
  }

  @Test
  default void eventsWaitingInALaneKeepTheirLease() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    DefaultListenerRegistry listeners =
        new DefaultListenerRegistry()
            .registerAll(
                event -> {
                  release.await();
                  runs.incrementAndGet();
                });
    OutboxDispatcher busy = dispatcher(shortLease().setDispatcherWorkers(1), listeners);
    OutboxDispatcher other = dispatcher(shortLease(), listeners);
    startedPoller(other);
    OutboxClient client = client(busy);
    publish(client, "First");
    String waiting = publish(client, "Waiting");
    Instant leasedUntil = row(waiting).orElseThrow().availableAt();

    awaitTrue(
        () -> row(waiting).orElseThrow().availableAt().isAfter(leasedUntil.plus(SHORT_LEASE)));
    release.countDown();

    awaitStatus(waiting, EventStatus.DONE);
    assertThat(runs).hasValue(2);
  }

  @Test
  default void transactionThatCommitsAfterItsLeaseIsDeliveredOnce() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    DefaultListenerRegistry listeners =
        new DefaultListenerRegistry().registerAll(event -> handled.add(event.eventId()));
    Duration lease = Duration.ofMillis(200);
    OutboxDispatcher publisher = dispatcher(config().setLeaseDuration(lease), listeners);
    OutboxDispatcher other = dispatcher(config(), listeners);
    OutboxClient client = client(publisher);
    EventEnvelope event = EventEnvelope.ofJson("Late", "{}");

    transactions()
        .run(
            connection -> {
              client.publish(event);
              long published = System.nanoTime();
              awaitTrue(() -> System.nanoTime() - published > lease.toNanos() * 2);
            });
    poller(other).poll();
    poller(publisher).poll();

    awaitStatus(event.eventId(), EventStatus.DONE);
    publisher.close();
    other.close();
    assertThat(handled).containsExactly(event.eventId());
  }

  @Test
  default void transactionThatCommitsShortlyBeforeTheEndOfItsLeaseRunsUnderARenewedOne()
      throws Exception {
    List<Instant> leasedUntil = new CopyOnWriteArrayList<>();
    OutboxDispatcher publisher =
        dispatcher(
            shortLease(),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> leasedUntil.add(row(event.eventId()).orElseThrow().availableAt())));
    OutboxClient client = client(publisher);
    EventEnvelope event = EventEnvelope.ofJson("ShortOfTime", "{}");

    transactions()
        .run(
            connection -> {
              client.publish(event);
              long published = System.nanoTime();
              awaitTrue(() -> System.nanoTime() - published > SHORT_LEASE.toNanos() * 9 / 10);
            });

    awaitStatus(event.eventId(), EventStatus.DONE);
    Instant created = row(event.eventId()).orElseThrow().createdAt();
    assertThat(leasedUntil)
        .singleElement()
        .satisfies(
            until ->
                assertThat(until).isAfter(created.plus(SHORT_LEASE.multipliedBy(3).dividedBy(2))));
  }

  @Test
  default void copyWhoseEventAnotherNodeTookIsNotStarted() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setLeaseDuration(Duration.ofMillis(200)),
            new DefaultListenerRegistry().registerAll(event -> runs.incrementAndGet()),
            metrics);
    OutboxClient client = client(dispatcher);
    EventEnvelope event = EventEnvelope.ofJson("Late", "{}");
    EventEnvelope hot = EventEnvelope.builder("Late").eventId("taken").payloadJson("{}").build();
    var queued = dispatcher.prepareHot(hot, false);
    insert(hot, queued.lease());

    awaitTrue(() -> claims("other").contains("taken"));
    dispatcher.enqueueHot(queued);
    publish(client, event);

    awaitStatus(event.eventId(), EventStatus.DONE);
    dispatcher.close();
    assertThat(runs).hasValue(1);
    assertThat(metrics.leaseLost()).isEqualTo(1);
    assertThat(row("taken").orElseThrow().owner()).isEqualTo("other");
  }

  @Test
  default void outcomeOfANodeWhoseEventWasTakenMeanwhileIsRefused() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher zombie =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      started.countDown();
                      release.await();
                    }),
            metrics);
    String id = publish(client(zombie), "Any");
    started.await();
    takeAway(id, "successor");

    release.countDown();

    awaitTrue(() -> metrics.leaseLost() + metrics.success() == 1);
    assertThat(metrics.success()).isZero();
    EventStoreContract.Row row = row(id).orElseThrow();
    assertThat(row.status()).isEqualTo(EventStatus.NEW);
    assertThat(row.owner()).isEqualTo("successor");
  }

  @Test
  default void eventThatKeepsKillingItsWorkersEndsDead() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    String id =
        insertLeased(EventEnvelope.ofJson("Killer", "{}"), "victim-0", Duration.ofMillis(1));
    for (int i = 1; i <= 3; i++) {
      String victim = "victim-" + i;
      awaitTrue(() -> claims(victim, Duration.ofMillis(1)).contains(id));
      call(c -> store().markStarted(c, victim, List.of(id), Duration.ofMillis(1)));
    }
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setMaxLeaseExpiries(3),
            new DefaultListenerRegistry().registerAll(event -> runs.incrementAndGet()));
    OutboxPoller poller = poller(dispatcher);

    awaitTrue(
        () -> {
          poller.poll();
          return row(id).orElseThrow().status() == EventStatus.DEAD;
        });

    assertThat(row(id).orElseThrow().lastError()).contains("poisoned");
    assertThat(runs).hasValue(0);
  }

  @Test
  default void eventsThatWereRunningWhenAProcessEndedRunOneAtATimeAndAlone() throws Exception {
    List<String> suspects = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 3; i++) {
      suspects.add(
          insertLeased(EventEnvelope.ofJson("Suspect", "{}"), "victim-0", Duration.ofMillis(1)));
    }
    awaitTrue(() -> claims("victim-1", Duration.ofMillis(1)).containsAll(suspects));
    call(c -> store().markStarted(c, "victim-1", suspects, Duration.ofMillis(1)));
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch twoAtOnce = new CountDownLatch(1);
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      most.accumulateAndGet(running.incrementAndGet(), Math::max);
                      if (running.get() > 1) {
                        twoAtOnce.countDown();
                      }
                      boolean unused = twoAtOnce.await(200, TimeUnit.MILLISECONDS);
                      running.decrementAndGet();
                    }));
    startedPoller(dispatcher);
    awaitTrue(() -> running.get() > 0);

    String other = publish(client(dispatcher), "Ordinary");

    awaitStatus(other, EventStatus.DONE);
    suspects.forEach(id -> awaitStatus(id, EventStatus.DONE));
    assertThat(most).hasValue(1);
  }

  @Test
  default void eventThatOnlyWaitedWhenItsHolderDiedIsNotSuspectedForLong() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    String id = insertLeased(EventEnvelope.ofJson("Waited", "{}"), "a", Duration.ofMillis(1));
    for (int i = 0; i < 5; i++) {
      String holder = "holder-" + i;
      awaitTrue(() -> claims(holder, Duration.ofMillis(1)).contains(id));
    }
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setMaxLeaseExpiries(1),
            new DefaultListenerRegistry().registerAll(event -> handled.add(event.eventId())));
    OutboxPoller poller = poller(dispatcher);

    awaitTrue(
        () -> {
          poller.poll();
          return row(id).orElseThrow().status() == EventStatus.DONE;
        });

    assertThat(handled).containsExactly(id);
    assertThat(row(id).orElseThrow().leaseExpiries()).isZero();
  }

  @Test
  default void completionWaitsForALockedRowAndHoldsUpNoOther() throws Exception {
    CountDownLatch locked = new CountDownLatch(1);
    AtomicBoolean others = new AtomicBoolean();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register("Locked", event -> locked.await())
                .register("Free", event -> others.set(true)));
    OutboxClient client = client(dispatcher);
    String id = publish(client, "Locked");
    String owner = Optional.ofNullable(row(id).orElseThrow().owner()).orElseThrow();

    try (Connection someone = connections().getConnection()) {
      someone.setAutoCommit(false);
      store().renew(someone, owner, List.of(id), Duration.ofMinutes(1));
      locked.countDown();
      String free = publish(client, "Free");
      awaitStatus(free, EventStatus.DONE);
      assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.NEW);
      someone.rollback();
    }

    awaitStatus(id, EventStatus.DONE);
    assertThat(others).isTrue();
  }

  private String insertLeased(EventEnvelope event, String owner, Duration lease)
      throws SQLException {
    insert(event, new Lease(owner, lease));
    return event.eventId();
  }

  private void insert(EventEnvelope event, @Nullable Lease lease) throws SQLException {
    call(
        connection -> {
          store().insert(connection, event, lease);
          return true;
        });
  }

  private List<String> claims(String owner) throws SQLException {
    return claims(owner, Duration.ofMinutes(10));
  }

  private List<String> claims(String owner, Duration lease) throws SQLException {
    return call(
        connection ->
            store()
                .claim(
                    connection,
                    new ClaimRequest(owner, lease, 100, Long.MAX_VALUE, null, Duration.ZERO))
                .events()
                .stream()
                .map(claimed -> claimed.event().eventId())
                .toList());
  }

  /** Moves a leased event to another owner, as if its lease had expired and been claimed. */
  private void takeAway(String id, String successor) throws SQLException {
    String holder = Optional.ofNullable(row(id).orElseThrow().owner()).orElseThrow();
    call(connection -> store().defer(connection, holder, List.of(id), Duration.ZERO));
    assertThat(claims(successor)).contains(id);
  }

  private <T> T call(Function<Connection, T> work) throws SQLException {
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(true);
      return work.apply(connection);
    }
  }
}

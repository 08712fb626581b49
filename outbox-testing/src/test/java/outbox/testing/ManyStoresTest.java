package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.routing.DrainFirstOutboxSelectionStrategy;
import outbox.routing.OutboxStore;
import outbox.routing.OutboxStoreProvider;

/** One process serves many databases, for which no real one matters. */
@Timeout(180)
class ManyStoresTest {
  private static final int PERMITS = 4;

  private final Tenant.Meter meter = new Tenant.Meter();
  private final Map<String, Tenant> tenants = new ConcurrentHashMap<>();
  private final List<OutboxStore> stores = new CopyOnWriteArrayList<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final DefaultListenerRegistry handlers = new DefaultListenerRegistry();
  private final CountingMetrics metrics = new CountingMetrics();
  private final OutboxConfig config =
      new OutboxConfig()
          .setPollerIntervalMs(200)
          .setPollerBatchSize(10)
          .setDrainTimeout(Duration.ofSeconds(5));
  private final OutboxStoreProvider provider =
      new OutboxStoreProvider() {
        @Override
        public List<OutboxStore> stores() {
          return List.copyOf(stores);
        }

        @Override
        public void onChange(Runnable listener) {
          listeners.add(listener);
        }
      };
  private @Nullable MultiOutboxDispatcher running;

  @AfterEach
  void close() {
    if (running != null) {
      running.close();
    }
  }

  @Test
  @Spec({"OBX-060", "OBX-061", "OBX-066", "OBX-068", "OBX-115", "OBXU-02"})
  void messageGoesToTheStoreOfItsKeyAndIsHandledOnce() {
    String uuid = UUID.randomUUID().toString();
    Tenant one = tenant("one");
    Tenant two = tenant(uuid);
    AtomicInteger handled = new AtomicInteger();
    handlers.registerAll(event -> handled.incrementAndGet());
    MultiOutboxDispatcher dispatcher = start();

    dispatcher.router().getOutbox("one").enqueue("Any", "{}");
    dispatcher.router().getOutbox(UUID.fromString(uuid)).enqueue("Any", "{}");
    dispatcher.router().getOutbox(uuid).enqueue("Any", "{}");

    awaitTrue(() -> done(one) == 1 && done(two) == 2);
    assertThat(handled).hasValue(3);
    assertThat(dispatcher.router().getOutbox("one")).isSameAs(dispatcher.router().getOutbox("one"));
  }

  @Test
  @Spec("OBX-067")
  void unknownKeyIsRefusedByNameAndNumberOfThoseKnown() {
    tenant("one");
    tenant("two");
    MultiOutboxDispatcher dispatcher = start();

    assertThatThrownBy(() -> dispatcher.router().getOutbox("three"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("three")
        .hasMessageContaining("2 keys");
  }

  @Test
  @Spec("OBX-116")
  void enqueueWakesItsOwnStoreOnly() {
    config.setPollerIntervalMs(3_600_000);
    Tenant busy = tenant("busy");
    Tenant idle = tenant("idle");
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> busy.connects.get() > 0 && idle.connects.get() > 0);

    for (int i = 1; i <= 50; i++) {
      int number = i;
      dispatcher.router().getOutbox("busy").enqueue("Any", "{}");
      awaitTrue(() -> done(busy) == number);
    }

    assertThat(idle.connects.get()).isLessThan(busy.connects.get() / 2);
  }

  @Test
  void connectionsOfAllStoresTogetherStayWithinTheBound() {
    for (int i = 0; i < 30; i++) {
      fill(tenant("t" + i), 40);
    }
    handlers.registerAll(event -> {});
    start();

    awaitTrue(() -> tenants.values().stream().allMatch(tenant -> done(tenant) == 40));

    assertThat(meter.most()).isLessThanOrEqualTo(PERMITS);
  }

  @Test
  void busyStoreDoesNotStarveTheOthers() {
    config.setDispatcherWorkers(1).setColdQueueCapacity(20);
    Tenant busy = tenant("busy");
    fill(busy, 2_000);
    for (int i = 0; i < 5; i++) {
      fill(tenant("small" + i), "Small", 5);
    }
    AtomicInteger handled = new AtomicInteger();
    AtomicInteger handledOfSmall = new AtomicInteger();
    AtomicInteger handledWhenSmallWereDone = new AtomicInteger();
    handlers.registerAll(
        event -> {
          handled.incrementAndGet();
          if (event.eventType().equals("Small") && handledOfSmall.incrementAndGet() == 25) {
            handledWhenSmallWereDone.set(handled.get());
          }
        });
    running =
        builder().maxConnections(2).strategy(new DrainFirstOutboxSelectionStrategy(3)).start();

    awaitTrue(() -> handledWhenSmallWereDone.get() > 0);
    assertThat(handledWhenSmallWereDone.get()).isLessThan(1_000);
  }

  @Test
  @Spec({"OBX-065", "OBX-101"})
  void storeThatFailsIsReportedOnceByNameAndTheOthersGoOn() {
    Tenant well = tenant("well");
    Tenant broken = tenant("broken");
    broken.down = true;
    handlers.registerAll(event -> {});
    try (LogCapture log = LogCapture.of("outbox")) {
      MultiOutboxDispatcher dispatcher = start();
      awaitTrue(() -> broken.connects.get() >= 4);
      dispatcher.router().getOutbox("well").enqueue("Any", "{}");
      awaitTrue(() -> done(well) == 1);

      assertThat(log.errors()).hasSize(1);
      assertThat(log.errors().get(0)).contains("store=broken");
      assertThat(metrics.outages("broken")).isEqualTo(1);
      assertThat(metrics.outages("well")).isZero();

      fill(broken, 1);
      broken.down = false;
      awaitTrue(() -> done(broken) == 1);
      awaitTrue(
          () -> log.all().stream().anyMatch(line -> line.contains("available again store=broken")));
    }
  }

  @Test
  void transactionThatDoesNotBeginIsAnOutageAndCostsTheMessageNoAttempt() {
    Tenant tenant = tenant("one");
    AtomicInteger handled = new AtomicInteger();
    handlers.registerTransactional("Any", (event, connection) -> handled.incrementAndGet());
    tenant.noTransactions = true;
    try (LogCapture log = LogCapture.of("outbox")) {
      start().router().getOutbox("one").enqueue("Any", "{}");
      awaitTrue(() -> metrics.outages("one") == 1);
      awaitTrue(() -> !metrics.isDown("one"));
      tenant.noTransactions = false;

      awaitTrue(() -> done(tenant) == 1);
      assertThat(handled).hasValue(1);
      assertThat(tenant.events.findAll().get(0).event().attempts()).isZero();
      assertThat(log.errors()).noneMatch(line -> line.contains("listener failed"));
    }
  }

  @Test
  void eventOfAQuietStoreDoesNotWaitBehindAllOfABusyOne() throws Exception {
    config.setDispatcherWorkers(1);
    Tenant busy = tenant("busy");
    Tenant quiet = tenant("quiet");
    fill(busy, 500);
    AtomicInteger before = new AtomicInteger();
    AtomicBoolean handledQuiet = new AtomicBoolean();
    CountDownLatch go = new CountDownLatch(1);
    handlers.register(
        "Any",
        event -> {
          go.await();
          if (!handledQuiet.get()) {
            before.incrementAndGet();
          }
        });
    handlers.register("Quick", event -> handledQuiet.set(true));
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> metrics.coldEnqueued() >= 200);
    dispatcher.router().getOutbox("quiet").enqueue("Quick", "{}");
    awaitTrue(() -> quiet.events.findAll().get(0).owner() != null);
    go.countDown();

    awaitTrue(() -> done(quiet) == 1 && done(busy) == 500);
    assertThat(before.get()).isLessThan(10);
  }

  @Test
  @Spec({"OBX-065", "OBX-101", "IBX-090", "IBX-113"})
  void whatHappensToAMessageIsLoggedWithItsStore() {
    config.setRetryMaxAttempts(1);
    tenant("one");
    Tenant two = tenant("two");
    handlers.registerAll(
        event -> {
          throw new IllegalStateException("refused");
        });
    MultiOutboxDispatcher dispatcher = start();
    try (LogCapture log = LogCapture.of("outbox")) {
      dispatcher.router().getOutbox("two").enqueue("Any", "{}");
      awaitTrue(() -> two.events.count(EventStatus.DEAD) == 1);
      awaitTrue(() -> log.errors().size() == 2);

      assertThat(log.errors())
          .anySatisfy(line -> assertThat(line).contains("listener failed", "store=two"))
          .anySatisfy(line -> assertThat(line).contains("event dead", "store=two"));
    }
  }

  @Test
  @Spec({"OBX-049", "OBX-101"})
  void messageThatNobodyListensToIsWarnedOfWithItsStore() {
    Tenant two = tenant("two");
    MultiOutboxDispatcher dispatcher = start();
    try (LogCapture log = LogCapture.of("outbox")) {
      dispatcher.router().getOutbox("two").enqueue("Any", "{}");
      awaitTrue(() -> two.connects.get() > 0 && !log.warnings().isEmpty());

      assertThat(log.warnings())
          .anySatisfy(line -> assertThat(line).contains("no listener", "type=Any", "store=two"));
    }
  }

  @Test
  void storesThatDoNotAnswerHoldFewOfTheConnections() {
    CountDownLatch answer = new CountDownLatch(1);
    Tenant well = tenant("well");
    List<Tenant> dark = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Tenant tenant = tenant("dark" + i);
      tenant.down = true;
      dark.add(tenant);
    }
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(
        () -> dark.stream().allMatch(tenant -> metrics.outages(tenant.store.identifier()) == 1));

    dark.forEach(tenant -> tenant.hang = answer);
    awaitTrue(() -> dark.stream().anyMatch(tenant -> tenant.connects.get() > 1));
    for (int i = 1; i <= 20; i++) {
      int number = i;
      dispatcher.router().getOutbox("well").enqueue("Any", "{}");
      awaitTrue(() -> done(well) == number);
    }

    answer.countDown();
  }

  @Test
  @Spec("OBX-072")
  void removedStoreIsDrainedItsLeasesAreGivenBackAndThenItIsClosed() {
    config.setDispatcherWorkers(1).setDrainTimeout(Duration.ofMillis(200));
    Tenant leaving = tenant("leaving");
    Tenant staying = tenant("staying");
    fill(leaving, 10);
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    handlers.register(
        "Any",
        event -> {
          started.countDown();
          try {
            new CountDownLatch(1).await();
          } finally {
            interrupted.countDown();
          }
        });
    handlers.register("Quick", event -> {});
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> started.getCount() == 0);
    awaitTrue(() -> leaving.events.findAll().stream().allMatch(event -> event.owner() != null));

    stores.remove(leaving.store);
    listeners.forEach(Runnable::run);

    assertThatThrownBy(() -> dispatcher.router().getOutbox("leaving"))
        .isInstanceOf(IllegalStateException.class);
    awaitTrue(() -> leaving.closes.get() == 1);
    assertThat(interrupted.getCount()).isZero();
    assertThat(leaving.events.findAll()).hasSize(10).allMatch(event -> event.owner() == null);
    assertThat(leaving.events.findAll()).allMatch(event -> event.event().attempts() == 0);
    assertThat(staying.closes).hasValue(0);
    dispatcher.router().getOutbox("staying").enqueue("Quick", "{}");
    awaitTrue(() -> done(staying) == 1);
  }

  @Test
  @Spec({"OBX-071", "OBX-073"})
  void storeThatIsAddedIsServedAndThoseThatWereThereKeepTheirOutbox() {
    tenant("one");
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    var before = dispatcher.router().getOutbox("one");

    Tenant added = tenant("added");
    fill(added, 3);
    listeners.forEach(Runnable::run);

    awaitTrue(() -> done(added) == 3);
    assertThat(dispatcher.router().getOutbox("one")).isSameAs(before);
  }

  @Test
  void leasesOfWhatWaitsAreRenewed() throws Exception {
    config
        .setLeaseDuration(Duration.ofSeconds(2))
        .setDispatcherWorkers(1)
        .setPollerIntervalMs(3_600_000);
    Tenant slow = tenant("slow");
    fill(slow, 2);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger handled = new AtomicInteger();
    handlers.registerAll(
        event -> {
          release.await();
          handled.incrementAndGet();
        });
    start();
    awaitTrue(() -> slow.events.findAll().stream().allMatch(event -> event.owner() != null));
    var first = slow.events.findAll().get(0).leasedUntil().orElseThrow();

    awaitTrue(
        () ->
            slow.events.findAll().get(0).leasedUntil().orElseThrow().isAfter(first.plusSeconds(2)));

    release.countDown();
    awaitTrue(() -> done(slow) == 2);
    assertThat(handled).hasValue(2);
  }

  @Test
  void closeStoresEveryOutcomeAndClosesEveryStore() {
    for (int i = 0; i < 5; i++) {
      fill(tenant("t" + i), 20);
    }
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> tenants.values().stream().anyMatch(tenant -> done(tenant) > 0));

    dispatcher.close();
    dispatcher.close();

    assertThat(tenants.values())
        .allSatisfy(
            tenant -> {
              assertThat(tenant.closes).hasValue(1);
              assertThat(tenant.events.findAll())
                  .allMatch(event -> event.status() == EventStatus.DONE || event.owner() == null);
            });
  }

  private Tenant tenant(String name) {
    Tenant tenant = new Tenant(name, meter);
    tenants.put(name, tenant);
    stores.add(tenant.store);
    return tenant;
  }

  private static void fill(Tenant tenant, int messages) {
    fill(tenant, "Any", messages);
  }

  private static void fill(Tenant tenant, String topic, int messages) {
    try (var connection = tenant.events.connections().getConnection()) {
      for (int i = 0; i < messages; i++) {
        tenant.events.insertNew(connection, EventEnvelope.ofJson(topic, "{}"));
      }
    } catch (java.sql.SQLException e) {
      throw new AssertionError(e);
    }
  }

  private MultiOutboxDispatcher.Builder builder() {
    return MultiOutboxDispatcher.builder(provider)
        .config(config.setPollerSkipRecentMs(0))
        .listeners(handlers)
        .metrics(metrics)
        .maxConnections(PERMITS);
  }

  private MultiOutboxDispatcher start() {
    MultiOutboxDispatcher started = builder().start();
    running = started;
    return started;
  }

  private static int done(Tenant tenant) {
    return tenant.events.count(EventStatus.DONE);
  }

  private static void awaitTrue(Callable<Boolean> condition) {
    await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(condition);
  }
}

package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.contracts.support.OptionTable;
import outbox.contracts.support.Spec;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.routing.OutboxStore;
import outbox.routing.OutboxStoreProvider;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Lease;

/** Each setting of {@link OutboxConfig} has the documented default, and an effect on the engine. */
class OutboxConfigOptionsTest extends SpiedOutbox {
  private static final int BYTES_BESIDE_PAYLOAD = 512;

  static final OptionTable<OutboxConfigOptionsTest> OPTIONS =
      new OptionTable<OutboxConfigOptionsTest>()
          .of(OutboxConfig.class)
          .option("setDispatcherWorkers(int)", OutboxConfigOptionsTest::dispatcherWorkers)
          .option("setHotQueueCapacity(int)", OutboxConfigOptionsTest::hotQueueCapacity)
          .option("setColdQueueCapacity(int)", OutboxConfigOptionsTest::coldQueueCapacity)
          .option("setHotQueueBytes(long)", OutboxConfigOptionsTest::hotQueueBytes)
          .option("setColdQueueBytes(long)", OutboxConfigOptionsTest::coldQueueBytes)
          .option("setVirtualThreads(boolean)", OutboxConfigOptionsTest::virtualThreads)
          .option("setLeaseDuration(Duration)", OutboxConfigOptionsTest::leaseDuration)
          .option("setFlushInterval(Duration)", OutboxConfigOptionsTest::flushInterval)
          .option("setFlushBatchSize(int)", OutboxConfigOptionsTest::flushBatchSize)
          .option("setMaxHandlingTime(Duration)", OutboxConfigOptionsTest::maxHandlingTime)
          .option(
              "setMaxHandlingTime(String, Duration)",
              OutboxConfigOptionsTest::maxHandlingTimeOfOneType)
          .option("setMaxLeaseExpiries(int)", OutboxConfigOptionsTest::maxLeaseExpiries)
          .option("setDrainTimeout(Duration)", OutboxConfigOptionsTest::drainTimeout)
          .option("setCloseTimeout(Duration)", OutboxConfigOptionsTest::closeTimeout)
          .option("setNetworkTimeout(Duration)", OutboxConfigOptionsTest::networkTimeout)
          .option("setUnhandledDelay(Duration)", OutboxConfigOptionsTest::unhandledDelay)
          .option("setUnhandledMaxAge(Duration)", OutboxConfigOptionsTest::unhandledMaxAge)
          .option("setPollerEnabled(boolean)", OutboxConfigOptionsTest::pollerEnabled)
          .option("setPollerIntervalMs(long)", OutboxConfigOptionsTest::pollerIntervalMs)
          .option("setPollerBatchSize(int)", OutboxConfigOptionsTest::pollerBatchSize)
          .option("defaultPollerBatchSize(int)", OutboxConfigOptionsTest::defaultPollerBatchSize)
          .option("setPollerSkipRecentMs(long)", OutboxConfigOptionsTest::pollerSkipRecentMs)
          .option("setRetryBaseDelayMs(long)", OutboxConfigOptionsTest::retryBaseDelayMs)
          .option("setRetryMaxDelayMs(long)", OutboxConfigOptionsTest::retryMaxDelayMs)
          .option(
              "setUseExponentialBackoff(boolean)", OutboxConfigOptionsTest::useExponentialBackoff)
          .option(
              "setRetryUnreadablePayloads(boolean)",
              OutboxConfigOptionsTest::retryUnreadablePayloads)
          .option("setRetryMaxAttempts(int)", OutboxConfigOptionsTest::retryMaxAttempts)
          .option("copy()", OutboxConfigOptionsTest::copy);

  static Stream<OptionTable.Row<OutboxConfigOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  @Spec("FRM-79")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<OutboxConfigOptionsTest> option)
      throws Exception {
    option.experiment().run(this);
  }

  @Test
  void everyOptionHasAnExperiment() {
    OPTIONS.assertComplete();
  }

  private void dispatcherWorkers() throws Exception {
    assertThat(workersOf(new OutboxConfig())).isEqualTo(4);
    assertThat(workersOf(new OutboxConfig().setDispatcherWorkers(6))).isEqualTo(6);
  }

  /** The threads that are started to run listeners; all of them do. */
  private int workersOf(OutboxConfig config) throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    Gate gate = new Gate();
    OutboxDispatcher dispatcher = gated(config, gate);
    int workers =
        (int)
            Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-worker-"))
                .filter(thread -> !before.contains(thread))
                .count();
    for (int i = 0; i < workers; i++) {
      publish(client(dispatcher), "Any");
    }
    awaitTrue(() -> gate.entered() == workers);
    gate.close();
    return workers;
  }

  private void hotQueueCapacity() throws Exception {
    assertThat(room(new OutboxConfig(), Source.HOT, 0)).isEqualTo(1000);
    assertThat(room(new OutboxConfig().setHotQueueCapacity(3), Source.HOT, 0)).isEqualTo(3);
  }

  private void coldQueueCapacity() throws Exception {
    assertThat(room(new OutboxConfig(), Source.COLD, 0)).isEqualTo(1000);
    assertThat(room(new OutboxConfig().setColdQueueCapacity(3), Source.COLD, 0)).isEqualTo(3);
  }

  private void hotQueueBytes() throws Exception {
    int payload = EventEnvelope.MAX_PAYLOAD_BYTES;
    int most = (64 << 20) / (payload + BYTES_BESIDE_PAYLOAD);
    assertThat(room(new OutboxConfig(), Source.HOT, payload)).isEqualTo(most);
    assertThat(room(new OutboxConfig().setHotQueueBytes(4L * payload), Source.HOT, payload))
        .isEqualTo(3);
  }

  private void coldQueueBytes() throws Exception {
    int payload = EventEnvelope.MAX_PAYLOAD_BYTES;
    int most = (64 << 20) / (payload + BYTES_BESIDE_PAYLOAD);
    assertThat(room(new OutboxConfig(), Source.COLD, payload)).isEqualTo(most);
    assertThat(room(new OutboxConfig().setColdQueueBytes(4L * payload), Source.COLD, payload))
        .isEqualTo(3);
  }

  /** How many events of a size wait in memory while the only worker is busy. */
  private int room(OutboxConfig config, Source source, int payloadBytes) throws Exception {
    Gate gate = new Gate();
    OutboxDispatcher dispatcher =
        gated(config.setDispatcherWorkers(1).setDrainTimeout(Duration.ZERO), gate);
    publish(client(dispatcher), "Any");
    awaitTrue(() -> gate.entered() == 1);
    String payload = "x".repeat(payloadBytes);
    int room = 0;
    while (offer(dispatcher, new QueuedEvent(EventEnvelope.ofJson("Any", payload), source, 0))) {
      room++;
    }
    return room;
  }

  private static boolean offer(OutboxDispatcher dispatcher, QueuedEvent event) {
    return event.source() == Source.HOT
        ? dispatcher.enqueueHot(event)
        : dispatcher.enqueueCold(event);
  }

  private void virtualThreads() throws Exception {
    assertThat(threadOf(new OutboxConfig())).startsWith("Thread[");
    OutboxConfig virtual = new OutboxConfig().setVirtualThreads(true);
    if (Runtime.version().feature() < 21) {
      assertThatThrownBy(() -> threadOf(virtual)).hasMessageContaining("JDK 21");
    } else {
      assertThat(threadOf(virtual)).startsWith("VirtualThread[");
    }
  }

  private String threadOf(OutboxConfig config) throws Exception {
    List<String> threads = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config,
            new DefaultListenerRegistry()
                .registerAll(event -> threads.add(Thread.currentThread().toString())));
    publish(client(dispatcher), "Any");
    awaitTrue(() -> !threads.isEmpty());
    return threads.get(0);
  }

  private void leaseDuration() throws Exception {
    assertThat(leasesOf(new OutboxConfig())).containsOnly(Duration.ofSeconds(30));
    assertThat(leasesOf(new OutboxConfig().setLeaseDuration(Duration.ofSeconds(2))))
        .containsOnly(Duration.ofSeconds(2));
  }

  /** The leases that are asked for: by a publish, by a claim and, if that is soon, by a renewal. */
  private List<Duration> leasesOf(OutboxConfig config) throws Exception {
    resetSpy();
    Gate gate = new Gate();
    OutboxDispatcher dispatcher = gated(config, gate);
    String id = store(EventEnvelope.ofJson("Any", "{}"));
    poller(dispatcher).poll();
    awaitTrue(() -> gate.entered() == 1);
    if (config.getLeaseDuration().toSeconds() < 10) {
      awaitTrue(() -> spied.count("renew") > 0);
    }
    Lease lease = dispatcher.prepareHot(EventEnvelope.ofJson("Any", "{}"), false).lease();
    gate.close();
    awaitStatus(id, EventStatus.DONE);
    return Stream.of(
            spied.claims().stream().map(ClaimRequest::lease),
            spied.arguments("renew", 3, Duration.class).stream(),
            Stream.ofNullable(lease).map(Lease::duration))
        .flatMap(all -> all)
        .toList();
  }

  private void flushInterval() throws Exception {
    assertThat(new OutboxConfig().getFlushInterval()).isEqualTo(Duration.ofMillis(50));
    Completions rare = new Completions(hourly());
    rare.first();
    String collected = rare.next(1).get(0);

    Completions usual = new Completions(new OutboxConfig());
    usual.first();
    awaitStatus(usual.next(1).get(0), EventStatus.DONE);

    assertThat(row(collected).orElseThrow().status()).isEqualTo(EventStatus.NEW);
    rare.dispatcher.close();
    assertThat(row(collected).orElseThrow().status()).isEqualTo(EventStatus.DONE);
  }

  private void flushBatchSize() throws Exception {
    assertThat(batchesOf(hourly(), 700)).containsExactly(1, 500, 200);
    assertThat(batchesOf(hourly().setFlushBatchSize(3), 7)).containsExactly(1, 3, 3, 1);
  }

  private List<Integer> batchesOf(OutboxConfig config, int events) throws Exception {
    Completions completions = new Completions(config);
    completions.first();
    completions.next(events);
    completions.dispatcher.close();
    return completions.own.sizes("ack");
  }

  /** Collects completions for an hour. */
  private static OutboxConfig hourly() {
    return new OutboxConfig()
        .setFlushInterval(Duration.ofHours(1))
        .setLeaseDuration(Duration.ofHours(3));
  }

  /** A dispatcher that completes events as they are published. */
  private final class Completions {
    final SpiedStore own;
    final List<String> handled = new CopyOnWriteArrayList<>();
    final OutboxDispatcher dispatcher;
    private final OutboxClient client;

    Completions(OutboxConfig config) {
      resetSpy();
      this.own = spied;
      this.dispatcher =
          dispatcher(
              config,
              new DefaultListenerRegistry().registerAll(event -> handled.add(event.eventId())));
      this.client = client(dispatcher);
    }

    /** The first completion after a pause is stored at once. */
    void first() throws Exception {
      awaitStatus(next(1).get(0), EventStatus.DONE);
    }

    /** More events, all of which are handled afterwards. */
    List<String> next(int events) throws Exception {
      int expected = handled.size() + events;
      for (int i = 0; i < events; i++) {
        publish(client, "Any");
      }
      awaitTrue(() -> handled.size() == expected);
      return handled.subList(expected - events, expected);
    }
  }

  private void maxHandlingTime() throws Exception {
    assertThat(new OutboxConfig().getMaxHandlingTime()).isEqualTo(Duration.ofMinutes(10));
    Gate gate = new Gate();
    OutboxDispatcher dispatcher = gated(config().setMaxHandlingTime(Duration.ofMillis(100)), gate);

    publish(client(dispatcher), "Any");

    awaitTrue(() -> gate.interrupted() > 0);
  }

  private void maxHandlingTimeOfOneType() throws Exception {
    Gate slow = new Gate();
    Gate other = new Gate();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setMaxHandlingTime("Slow", Duration.ofMillis(100)),
            new DefaultListenerRegistry().register("Slow", slow).register("Other", other));
    closing(slow);
    closing(other);
    publish(client(dispatcher), "Other");
    awaitTrue(() -> other.entered() == 1);

    publish(client(dispatcher), "Slow");

    awaitTrue(() -> slow.interrupted() > 0);
    assertThat(other.interrupted()).isZero();
  }

  private void maxLeaseExpiries() throws Exception {
    assertThat(statusAfterExpiries(new OutboxConfig(), 2)).isEqualTo(EventStatus.DONE);
    assertThat(statusAfterExpiries(new OutboxConfig(), 3)).isEqualTo(EventStatus.DEAD);
    OutboxConfig five = new OutboxConfig().setMaxLeaseExpiries(5);
    assertThat(statusAfterExpiries(five, 3)).isEqualTo(EventStatus.DONE);
    assertThat(statusAfterExpiries(five, 5)).isEqualTo(EventStatus.DEAD);
  }

  /** What becomes of an event whose lease has expired so often while it ran. */
  private EventStatus statusAfterExpiries(OutboxConfig config, int expiries) throws Exception {
    Duration lease = Duration.ofMinutes(1);
    String id = store(EventEnvelope.ofJson("Any", "{}"));
    leaseAll("first", lease);
    for (int i = 0; i < expiries; i++) {
      advance(lease.plusSeconds(1));
      String victim = "victim-" + i;
      leaseAll(victim, lease);
      connections()
          .inAutoCommit(connection -> store().markStarted(connection, victim, List.of(id), lease));
    }
    advance(lease.plusSeconds(1));
    OutboxDispatcher dispatcher =
        dispatcher(config, new DefaultListenerRegistry().registerAll(event -> {}));
    OutboxPoller poller = poller(dispatcher);
    awaitTrue(
        () -> {
          poller.poll();
          return !row(id).orElseThrow().status().isLive();
        });
    return row(id).orElseThrow().status();
  }

  private void leaseAll(String owner, Duration lease) {
    ClaimRequest all = new ClaimRequest(owner, lease, 100, Long.MAX_VALUE, null, Duration.ZERO);
    connections().inAutoCommit(connection -> store().claim(connection, all));
  }

  private void drainTimeout() throws Exception {
    assertThat(new OutboxConfig().getDrainTimeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(statusOfQueuedAfterClose(new OutboxConfig(), true)).isEqualTo(EventStatus.DONE);
    OutboxConfig none = new OutboxConfig().setDrainTimeout(Duration.ZERO);
    assertThat(statusOfQueuedAfterClose(none, false)).isEqualTo(EventStatus.NEW);
  }

  /** What becomes of an event that waits behind another one when the dispatcher is closed. */
  private EventStatus statusOfQueuedAfterClose(OutboxConfig config, boolean opened)
      throws Exception {
    Gate gate = new Gate();
    OutboxDispatcher dispatcher = gated(config.setDispatcherWorkers(1), gate);
    publish(client(dispatcher), "Any");
    awaitTrue(() -> gate.entered() == 1);
    String queued = publish(client(dispatcher), "Any");
    Thread closing = new Thread(dispatcher::close);
    closing.start();
    if (opened) {
      awaitTrue(() -> isClosed(dispatcher));
      gate.close();
    }
    closing.join();
    return row(queued).orElseThrow().status();
  }

  private static boolean isClosed(OutboxDispatcher dispatcher) {
    try {
      dispatcher.enqueueHot(
          new QueuedEvent(EventEnvelope.ofJson("Unhandled", "{}"), Source.HOT, 0));
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  private void closeTimeout() throws Exception {
    assertThat(new OutboxConfig().getCloseTimeout()).isEqualTo(Duration.ofSeconds(3));
    OutboxDispatcher dispatcher =
        dispatcher(
            new OutboxConfig()
                .setDrainTimeout(Duration.ZERO)
                .setCloseTimeout(Duration.ofMillis(100)),
            new DefaultListenerRegistry().registerAll(event -> {}));
    closing(spied::unblock);
    spied.block("ack");
    publish(client(dispatcher), "Any");
    awaitTrue(() -> spied.count("ack") == 1);

    long begin = System.nanoTime();
    dispatcher.close();

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
  }

  private void networkTimeout() throws Exception {
    assertThat(networkTimeoutsOf(new OutboxConfig())).containsOnly(30_000);
    OutboxConfig other = new OutboxConfig().setNetworkTimeout(Duration.ofSeconds(7));
    assertThat(networkTimeoutsOf(other)).containsOnly(7_000);
  }

  /** The limits during a claim, during a completion and in a transactional listener. */
  private List<Integer> networkTimeoutsOf(OutboxConfig config) throws Exception {
    resetSpy();
    List<Integer> limits = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config,
            new DefaultListenerRegistry()
                .register("Plain", event -> {})
                .registerTransactional(
                    "Transactional",
                    (event, connection) -> limits.add(connection.getNetworkTimeout())));
    String plain = store(EventEnvelope.ofJson("Plain", "{}"));
    String transactional = store(EventEnvelope.ofJson("Transactional", "{}"));
    poller(dispatcher).poll();
    awaitStatus(plain, EventStatus.DONE);
    awaitStatus(transactional, EventStatus.DONE);
    assertThat(limits).hasSize(1);
    limits.addAll(spied.networkTimeouts("claim"));
    limits.addAll(spied.networkTimeouts("ack"));
    return limits;
  }

  private void unhandledDelay() throws Exception {
    assertThat(deferredBy(new OutboxConfig())).isEqualTo(Duration.ofSeconds(2));
    OutboxConfig other = new OutboxConfig().setUnhandledDelay(Duration.ofSeconds(9));
    assertThat(deferredBy(other)).isEqualTo(Duration.ofSeconds(9));
  }

  private Duration deferredBy(OutboxConfig config) throws Exception {
    int before = spied.count("defer");
    store(EventEnvelope.ofJson("Unhandled", "{}"));
    poller(dispatcher(config, new DefaultListenerRegistry())).poll();
    awaitTrue(() -> spied.count("defer") > before);
    return spied.arguments("defer", 3, Duration.class).get(before);
  }

  private void unhandledMaxAge() throws Exception {
    OutboxConfig usual = new OutboxConfig();
    assertThat(statusOfUnhandled(usual, Duration.ofHours(23))).isEqualTo(EventStatus.NEW);
    assertThat(statusOfUnhandled(usual, Duration.ofHours(25))).isEqualTo(EventStatus.DEAD);
    OutboxConfig soon = new OutboxConfig().setUnhandledMaxAge(Duration.ofHours(1));
    assertThat(statusOfUnhandled(soon, Duration.ofHours(2))).isEqualTo(EventStatus.DEAD);
  }

  private EventStatus statusOfUnhandled(OutboxConfig config, Duration age) throws Exception {
    String id = store(EventEnvelope.ofJson("Unhandled", "{}"));
    advance(age);
    int before = spied.count("defer") + spied.count("fail");
    OutboxDispatcher dispatcher = dispatcher(config, new DefaultListenerRegistry());
    poller(dispatcher).poll();
    awaitTrue(() -> spied.count("defer") + spied.count("fail") > before);
    dispatcher.close();
    return row(id).orElseThrow().status();
  }

  private void pollerEnabled() throws Exception {
    store(EventEnvelope.ofJson("Any", "{}"));
    Served off = serve(new OutboxConfig().setPollerEnabled(false));
    Served on = serve(new OutboxConfig());

    awaitTrue(() -> on.handled.size() == 1);

    assertThat(off.own.claims()).isEmpty();
  }

  private void pollerIntervalMs() throws Exception {
    assertThat(new OutboxConfig().getPollerIntervalMs()).isEqualTo(5000);
    Served often = serve(new OutboxConfig().setPollerIntervalMs(20));

    awaitTrue(() -> often.own.count("mayHaveDue") > 50);
  }

  private void pollerBatchSize() throws Exception {
    assertThat(new OutboxConfig().getPollerBatchSize()).isEqualTo(200);
    assertThat(batchOf(new OutboxConfig())).isEqualTo(MultiOutboxDispatcher.DEFAULT_BATCH_SIZE);
    assertThat(batchOf(new OutboxConfig().setPollerBatchSize(7))).isEqualTo(7);
  }

  private void defaultPollerBatchSize() throws Exception {
    assertThat(batchOf(new OutboxConfig().defaultPollerBatchSize(9))).isEqualTo(9);
    assertThat(batchOf(new OutboxConfig().setPollerBatchSize(7).defaultPollerBatchSize(9)))
        .isEqualTo(7);
  }

  private int batchOf(OutboxConfig config) throws Exception {
    return firstClaimOf(config).limit();
  }

  private void pollerSkipRecentMs() throws Exception {
    assertThat(firstClaimOf(new OutboxConfig()).skipRecent()).isEqualTo(Duration.ofSeconds(1));
    OutboxConfig other = new OutboxConfig().setPollerSkipRecentMs(70);
    assertThat(firstClaimOf(other).skipRecent()).isEqualTo(Duration.ofMillis(70));
  }

  private ClaimRequest firstClaimOf(OutboxConfig config) throws Exception {
    Served served = serve(config);
    awaitTrue(() -> !served.own.claims().isEmpty());
    return served.own.claims().get(0);
  }

  private Served serve(OutboxConfig config) {
    return closing(new Served(config));
  }

  /** The engine of many databases, which polls by itself, on this store. */
  private final class Served implements AutoCloseable {
    final SpiedStore own = new SpiedStore(store());
    final List<String> handled = new CopyOnWriteArrayList<>();
    private final MultiOutboxDispatcher dispatcher;

    Served(OutboxConfig config) {
      OutboxStore only = OutboxStore.builder("only", connections(), own.store()).build();
      this.dispatcher =
          MultiOutboxDispatcher.builder(OutboxStoreProvider.of(only))
              .config(config)
              .listeners(
                  new DefaultListenerRegistry().registerAll(event -> handled.add(event.eventId())))
              .start();
    }

    @Override
    public void close() {
      dispatcher.close();
    }
  }

  private void retryBaseDelayMs() throws Exception {
    assertThat(delayOf(builder(), "Any")).isBetween(Duration.ofMillis(100), Duration.ofMillis(300));
    assertThat(delayOf(builder().config(new OutboxConfig().setRetryBaseDelayMs(10_000)), "Any"))
        .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(15));
  }

  private void retryMaxDelayMs() throws Exception {
    OutboxConfig usual = new OutboxConfig().setRetryBaseDelayMs(50_000);
    assertThat(lastDelay(usual, 5)).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(90));
    OutboxConfig lower = new OutboxConfig().setRetryBaseDelayMs(1_000).setRetryMaxDelayMs(2_000);
    assertThat(lastDelay(lower, 6)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(3));
  }

  private void useExponentialBackoff() throws Exception {
    OutboxConfig second = new OutboxConfig().setRetryBaseDelayMs(1_000);
    assertThat(lastDelay(second, 5)).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(24));
    assertThat(lastDelay(second.setUseExponentialBackoff(false), 5))
        .isBetween(Duration.ofMillis(500), Duration.ofMillis(1_500));
  }

  private Duration lastDelay(OutboxConfig config, int failures) throws Exception {
    return delaysOf(builder().config(config), "Any", failures).get(failures - 1);
  }

  private void retryMaxAttempts() throws Exception {
    assertThat(attemptsOf(new OutboxConfig())).isEqualTo(10);
    assertThat(attemptsOf(new OutboxConfig().setRetryMaxAttempts(2))).isEqualTo(2);
  }

  private int attemptsOf(OutboxConfig config) throws Exception {
    String id = store(EventEnvelope.ofJson("Any", "{}"));
    OutboxPoller poller =
        startedPoller(dispatcher(config.setRetryBaseDelayMs(1).setRetryMaxDelayMs(1), failing()));
    awaitStatus(id, EventStatus.DEAD);
    poller.close();
    return row(id).orElseThrow().attempts();
  }

  private void retryUnreadablePayloads() throws Exception {
    assertThat(statusOfUnreadable(new OutboxConfig())).isEqualTo(EventStatus.RETRY);
    assertThat(statusOfUnreadable(new OutboxConfig().setRetryUnreadablePayloads(false)))
        .isEqualTo(EventStatus.DEAD);
  }

  /** After one delivery. */
  private EventStatus statusOfUnreadable(OutboxConfig config) throws Exception {
    String id = store(EventEnvelope.ofJson("Any", "{}"));
    NumberCodec codec = new NumberCodec();
    DefaultListenerRegistry reading =
        new DefaultListenerRegistry().registerAll(event -> codec.read(event, Integer.class));
    OutboxPoller poller =
        startedPoller(
            dispatcher(
                config.setRetryMaxDelayMs(3_600_000).setRetryBaseDelayMs(3_600_000), reading));
    awaitTrue(() -> row(id).orElseThrow().attempts() == 1);
    poller.close();
    assertThat(row(id).orElseThrow().lastError()).contains("Integer: no number");
    return row(id).orElseThrow().status();
  }

  /** Sets everything that can be set to something else than its default. */
  private void copy() throws Exception {
    OutboxConfig changed = new OutboxConfig();
    for (Method setter : OutboxConfig.class.getMethods()) {
      if (setter.getName().startsWith("set") && setter.getParameterCount() == 1) {
        setter.invoke(changed, other(setter.getParameterTypes()[0]));
      }
    }
    changed.setMaxHandlingTime("Slow", Duration.ofHours(1)).setUseExponentialBackoff(false);
    changed.setPollerEnabled(false).setRetryUnreadablePayloads(false);

    OutboxConfig copy = changed.copy();

    assertThat(copy).usingRecursiveComparison().isEqualTo(changed);
    assertThat(copy.getMaxHandlingTime("Slow")).isEqualTo(Duration.ofHours(1));
    changed.setDispatcherWorkers(1);
    assertThat(copy.getDispatcherWorkers()).isEqualTo(77);
  }

  private static Object other(Class<?> type) {
    if (type == Duration.class) {
      return Duration.ofSeconds(77);
    }
    if (type == long.class) {
      return 77L;
    }
    return type == int.class ? (Object) 77 : true;
  }
}

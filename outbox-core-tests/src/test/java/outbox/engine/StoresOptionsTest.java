package outbox.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxConfig;
import outbox.OutboxMessage;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.OptionTable;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.registry.DefaultListenerRegistry;
import outbox.routing.DrainFirstOutboxSelectionStrategy;
import outbox.routing.OutboxStore;
import outbox.routing.OutboxStoreProvider;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.InMemoryJoinStore;
import outbox.testing.memory.InMemoryOutbox;

/** Each option of the builders for many stores has its default and its effect. */
class StoresOptionsTest extends InMemoryOutbox {
  private static final OwnerToken ME = new OwnerToken("me");
  private static final int MANY = 200;

  static final OptionTable<StoresOptionsTest> OPTIONS =
      new OptionTable<StoresOptionsTest>()
          .of(MultiOutboxDispatcher.Builder.class)
          .option("config(OutboxConfig)", StoresOptionsTest::configOfEngineAndQueue)
          .option("listeners(ListenerRegistry)", StoresOptionsTest::listeners)
          .option("metrics(MetricsExporter)", StoresOptionsTest::metrics)
          .option("strategy(OutboxSelectionStrategy)", StoresOptionsTest::strategy)
          .option("retries(Retries)", StoresOptionsTest::retries)
          .option("retries(String, Retries)", StoresOptionsTest::retriesOfOneTopic)
          .option("onDead(DeadLetterListener)", StoresOptionsTest::onDead)
          .option("propagation(Propagation)", StoresOptionsTest::propagation)
          .option("node(String)", StoresOptionsTest::node)
          .option("maxConnections(int)", StoresOptionsTest::maxConnections)
          .of(OutboxStore.Builder.class)
          .option("claimConnections(ConnectionProvider)", StoresOptionsTest::claimConnections)
          .option(
              "applicationConnections(ConnectionProvider)",
              StoresOptionsTest::applicationConnections)
          .option("transactions(TransactionRunner)", StoresOptionsTest::transactionRunner)
          .option("txContext(TxContext)", StoresOptionsTest::joinsTheThreadsTransaction)
          .option("joins(Joins, Consumer)", StoresOptionsTest::joins)
          .option("codec(PayloadCodec)", StoresOptionsTest::codec)
          .option("lease(Duration)", StoresOptionsTest::lease)
          .option("onClose(Runnable)", StoresOptionsTest::onClose);

  private final SpiedStore spied = new SpiedStore(store());
  private final List<EventEnvelope> handled = new CopyOnWriteArrayList<>();
  private @Nullable MultiOutboxDispatcher running;

  static Stream<OptionTable.Row<StoresOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<StoresOptionsTest> option) throws Exception {
    option.experiment().run(this);
  }

  @Test
  void everyOptionHasAnExperiment() {
    OPTIONS.assertComplete();
  }

  private OutboxStore.Builder only() {
    return OutboxStore.builder("only", connections(), spied.store());
  }

  private static MultiOutboxDispatcher.Builder serving(OutboxStore... stores) {
    return MultiOutboxDispatcher.builder(OutboxStoreProvider.of(List.of(stores)));
  }

  /** Serves the only store; its listeners take note of each event. */
  private MultiOutboxDispatcher.Builder builder() {
    return serving(only().build())
        .listeners(new DefaultListenerRegistry().registerAll(handled::add));
  }

  private static MultiOutboxDispatcher.Builder failing(MultiOutboxDispatcher.Builder builder) {
    return builder.listeners(SpiedOutbox.failing());
  }

  /** The outbox of the only store, which nothing but this dispatcher serves. */
  private Outbox started(MultiOutboxDispatcher.Builder builder) {
    if (running != null) {
      running.close();
    }
    running = closing(builder.start());
    return running.router().getOutbox("only");
  }

  private void configOfEngineAndQueue() {
    OutboxConfig once = new OutboxConfig().setRetryMaxAttempts(1);
    MultiOutboxDispatcher.Builder builder = failing(builder()).config(once);
    once.setRetryMaxAttempts(5);
    awaitStatus(started(builder).enqueue("Any", "{}").id().value(), EventStatus.DEAD);
    awaitStatus(started(failing(builder())).enqueue("Any", "{}").id().value(), EventStatus.RETRY);
  }

  /** A queue without an engine has the limits of the configuration, too. */
  @Test
  void queueHasTheLimitsOfTheConfiguration() {
    OutboxConfig off = new OutboxConfig().setPollerEnabled(false);
    assertThat(statusAfterAbandon(off)).isEqualTo(EventStatus.RETRY);
    assertThat(statusAfterExpiries(off, 3)).isEqualTo(EventStatus.NEW);
    off.setRetryMaxAttempts(1).setMaxLeaseExpiries(2);
    assertThat(statusAfterAbandon(off)).isEqualTo(EventStatus.DEAD);
    assertThat(statusAfterExpiries(off, 3)).isEqualTo(EventStatus.DEAD);
  }

  private EventStatus statusAfterAbandon(OutboxConfig config) {
    Outbox outbox = started(serving(only().build()).config(config));
    MessageId id = outbox.enqueue("Any", "{}").id();
    outbox.claim(ME, Duration.ofMinutes(1), 100);
    outbox.abandon(ME, List.of(id));
    return row(id.value()).orElseThrow().status();
  }

  private EventStatus statusAfterExpiries(OutboxConfig config, int expiries) {
    Outbox outbox = started(serving(only().build()).config(config));
    MessageId id = outbox.enqueue("Any", "{}").id();
    for (int i = 0; i <= expiries; i++) {
      claimWith(id, outbox);
      advance(Duration.ofMinutes(2));
    }
    return row(id.value()).orElseThrow().status();
  }

  /** Claims until the message comes or none is left: one that was counted before comes alone. */
  private static void claimWith(MessageId id, Outbox outbox) {
    List<MessageId> claimed;
    do {
      claimed =
          outbox.claim(ME, Duration.ofMinutes(1), 100).stream().map(OutboxMessage::id).toList();
      outbox.ack(ME, claimed.stream().filter(each -> !each.equals(id)).toList());
    } while (!claimed.isEmpty() && !claimed.contains(id));
  }

  private void listeners() {
    MessageId id = started(builder()).enqueue("Any", "{}").id();
    awaitTrue(() -> handled.size() == 1);
    assertThat(handled.get(0).eventId()).isEqualTo(id.value());

    started(serving(only().build())).enqueue("Any", "{}");
    awaitTrue(() -> spied.count("defer") == 1);
  }

  private void metrics() {
    CountingMetrics metrics = new CountingMetrics();
    started(builder().metrics(metrics)).enqueue("Any", "{}");
    awaitTrue(() -> metrics.success() == 1 && metrics.hotEnqueued() == 1);
  }

  private void strategy() {
    assertThat(Set.copyOf(turns(builder -> {}))).containsExactlyInAnyOrder("a", "b");
    assertThat(Set.copyOf(turns(b -> b.strategy(new DrainFirstOutboxSelectionStrategy()))))
        .hasSize(1);
  }

  /**
   * Of two stores with so many messages each that one is not empty before the other begins, those
   * that the first batches come from, as many as one of them has.
   */
  private List<String> turns(Consumer<MultiOutboxDispatcher.Builder> setting) {
    List<String> turns = new CopyOnWriteArrayList<>();
    MultiOutboxDispatcher.Builder builder =
        serving(full("a", turns), full("b", turns))
            .config(new OutboxConfig().setPollerBatchSize(1))
            .maxConnections(2)
            .listeners(new DefaultListenerRegistry().registerAll(handled::add));
    setting.accept(builder);
    int expected = handled.size() + 2 * MANY;
    MultiOutboxDispatcher dispatcher = closing(builder.start());
    awaitTrue(() -> handled.size() == expected);
    dispatcher.close();
    return turns.subList(0, MANY);
  }

  private static OutboxStore full(String name, List<String> turns) {
    InMemoryEventStore events = new InMemoryEventStore();
    for (int i = 0; i < MANY; i++) {
      OutboxBuilder.of(events.connections(), events).build().enqueue("Any", "{}");
    }
    SpiedStore spied =
        new SpiedStore(
            events,
            method -> {
              if (method.equals("claim")) {
                turns.add(name);
              }
            });
    return OutboxStore.builder(name, events.connections(), spied.store()).build();
  }

  private void retries() {
    assertThat(delayOf(builder().retries(SpiedOutbox.fixed(70)), "Any"))
        .isEqualTo(Duration.ofSeconds(70));
    assertThat(delayOf(builder(), "Any")).isLessThan(Duration.ofSeconds(1));
  }

  private void retriesOfOneTopic() {
    Retries slow = SpiedOutbox.fixed(70);
    assertThat(delayOf(builder().retries("Slow", slow), "Slow")).isEqualTo(Duration.ofSeconds(70));
    assertThat(delayOf(builder().retries("Slow", slow), "Any")).isLessThan(Duration.ofSeconds(1));
  }

  private Duration delayOf(MultiOutboxDispatcher.Builder builder, String topic) {
    String id = started(failing(builder)).enqueue(topic, "{}").id().value();
    awaitTrue(() -> !spied.retryDelays(id).isEmpty());
    return spied.retryDelays(id).get(0);
  }

  private void onDead() {
    List<String> told = new CopyOnWriteArrayList<>();
    MultiOutboxDispatcher.Builder builder =
        failing(builder())
            .config(new OutboxConfig().setRetryMaxAttempts(1))
            .onDead((store, letter) -> told.add(store + " " + letter.event().eventId()));
    MessageId id = started(builder).enqueue("Any", "{}").id();
    awaitTrue(() -> told.equals(List.of("only " + id.value())));
  }

  private void propagation() {
    started(builder().propagation(SpiedOutbox.TRACE)).enqueue("Any", "{}");
    awaitTrue(() -> handled.size() == 1);
    assertThat(handled.get(0).headers()).isEqualTo(Map.of("trace", "of Any"));
  }

  private void node() {
    assertThat(owner(builder())).startsWith("pid" + ProcessHandle.current().pid() + ".");
    assertThat(owner(builder().node("shop-1"))).startsWith("shop-1.");
  }

  private String owner(MultiOutboxDispatcher.Builder builder) {
    int before = spied.claims().size();
    MultiOutboxDispatcher dispatcher = closing(builder.start());
    awaitTrue(() -> spied.claims().size() > before);
    dispatcher.close();
    return spied.claims().stream().skip(before).map(ClaimRequest::owner).findFirst().orElseThrow();
  }

  private void maxConnections() {
    assertThat(connectionsOf(builder())).isEqualTo(8);
    assertThat(connectionsOf(builder().maxConnections(3))).isEqualTo(3);
  }

  /** Each thread uses one connection at a time. */
  private long connectionsOf(MultiOutboxDispatcher.Builder builder) {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    closing(builder.start());
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("outbox-store-"))
        .filter(thread -> !before.contains(thread))
        .count();
  }

  private void claimConnections() throws Exception {
    AtomicInteger claims = new AtomicInteger();
    AtomicInteger others = new AtomicInteger();
    OutboxStore store =
        OutboxStore.builder("only", counted(others), spied.store())
            .claimConnections(counted(claims))
            .applicationConnections(connections())
            .build();
    String id = store(EventEnvelope.ofJson("Any", "{}"));
    started(serving(store).listeners(new DefaultListenerRegistry().registerAll(handled::add)));
    awaitStatus(id, EventStatus.DONE);
    assertThat(claims.get()).isPositive();
    assertThat(others.get()).as("the completion").isPositive();

    AtomicInteger all = new AtomicInteger();
    OutboxStore plain = OutboxStore.builder("only", counted(all), new InMemoryEventStore()).build();
    started(serving(plain));
    awaitTrue(() -> all.get() > 0);
  }

  private ConnectionProvider counted(AtomicInteger opened) {
    return () -> {
      opened.incrementAndGet();
      return connections().getConnection();
    };
  }

  private void applicationConnections() {
    OutboxConfig off = new OutboxConfig().setPollerEnabled(false);
    AtomicInteger engine = new AtomicInteger();
    AtomicInteger application = new AtomicInteger();
    OutboxStore.Builder builder = OutboxStore.builder("only", counted(engine), spied.store());
    started(serving(builder.build()).config(off)).enqueue("Any", "{}");
    assertThat(engine).hasValue(1);

    OutboxStore store = builder.applicationConnections(counted(application)).build();
    started(serving(store).config(off)).enqueue("Any", "{}");
    store.claimDue(1);

    assertThat(engine).hasValue(1);
    assertThat(application).hasValue(2);
  }

  private void transactionRunner() {
    AtomicInteger begun = new AtomicInteger();
    DefaultListenerRegistry listeners =
        new DefaultListenerRegistry().registerTransactional("Any", (event, connection) -> {});
    OutboxStore with =
        only()
            .transactions(
                work -> {
                  begun.incrementAndGet();
                  transactions().run(work);
                })
            .build();
    String done = started(serving(with).listeners(listeners)).enqueue("Any", "{}").id().value();
    awaitStatus(done, EventStatus.DONE);
    assertThat(begun).hasValue(1);

    OutboxStore without = only().build();
    String refused =
        started(serving(without).listeners(listeners)).enqueue("Any", "{}").id().value();
    awaitStatus(refused, EventStatus.RETRY);
  }

  private void joinsTheThreadsTransaction() {
    OutboxConfig off = new OutboxConfig().setPollerEnabled(false);
    Outbox alone = closing(serving(only().build()).config(off).start()).router().getOutbox("only");
    Outbox joining = started(serving(only().txContext(txContext()).build()).config(off));
    assertThatThrownBy(
            () ->
                transactions()
                    .run(
                        connection -> {
                          joining.enqueue("joining", "{}");
                          alone.enqueue("alone", "{}");
                          throw new IllegalStateException("roll back");
                        }))
        .hasMessage("roll back");
    assertThat(store().findAll())
        .extracting(row -> row.event().eventType())
        .containsExactly("alone");
  }

  private void joins() throws Exception {
    assertThatThrownBy(() -> started(builder()).joins().startJoin("group", 1, null))
        .isInstanceOf(IllegalStateException.class);
    AtomicReference<@Nullable Runnable> onDue = new AtomicReference<>();
    JoinTracker tracker = new JoinTracker(new InMemoryJoinStore(store()));
    JoinCoordinator joins =
        JoinCoordinator.builder(connections(), store().notifying(tracker), tracker).build();
    OutboxStore store = only().joins(joins, onDue::set).build();
    OutboxConfig rare = new OutboxConfig().setPollerIntervalMs(3_600_000);
    Outbox outbox =
        started(
            serving(store)
                .config(rare)
                .listeners(new DefaultListenerRegistry().registerAll(handled::add)));

    assertThat(joins.find(outbox.joins().startJoin("group", 1, null))).isPresent();
    store(EventEnvelope.ofJson("Due", "{}"));
    requireNonNull(onDue.get(), "nothing to run when a join has ended").run();
    awaitTrue(() -> handled.size() == 1);
  }

  private void codec() {
    OutboxStore numbers = only().codec(new NumberCodec()).build();
    started(serving(numbers).listeners(new DefaultListenerRegistry().registerAll(handled::add)))
        .enqueue("Any", 7);
    awaitTrue(() -> handled.size() == 1);
    assertThat(handled.get(0).payloadJson()).isEqualTo("7");
    assertThatThrownBy(() -> started(builder()).enqueue("Any", 7))
        .isInstanceOf(IllegalStateException.class);
  }

  private void lease() throws Exception {
    assertThat(leaseOf(only())).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(90));
    assertThat(leaseOf(only().lease(Duration.ofHours(1))))
        .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
  }

  private Duration leaseOf(OutboxStore.Builder builder) throws Exception {
    store(EventEnvelope.ofJson("Any", "{}"));
    Instant before = Instant.now();
    OutboxMessage claimed = builder.build().claimDue(1).get(0);
    Instant until = claimed.lockedUntil();
    return until == null ? Duration.ZERO : Duration.between(before, until);
  }

  private void onClose() {
    AtomicInteger closes = new AtomicInteger();
    MultiOutboxDispatcher dispatcher =
        serving(only().onClose(closes::incrementAndGet).build()).start();
    assertThat(closes).hasValue(0);
    dispatcher.close();
    assertThat(closes).hasValue(1);
  }
}

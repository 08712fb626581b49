package outbox.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.OptionTable;
import outbox.contracts.support.Spec;
import outbox.dispatch.InFlightTracker;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spi.NodeSignal;
import outbox.spi.Propagation;

/** Each option of {@link OutboxDispatcher.Builder} has its default and its effect. */
class DispatcherOptionsTest extends SpiedOutbox {
  static final OptionTable<DispatcherOptionsTest> OPTIONS =
      new OptionTable<DispatcherOptionsTest>()
          .of(OutboxDispatcher.Builder.class)
          .option("config(OutboxConfig)", DispatcherOptionsTest::configuration)
          .option("listeners(ListenerRegistry)", DispatcherOptionsTest::listeners)
          .option("inFlightTracker(InFlightTracker)", DispatcherOptionsTest::inFlightTracker)
          .option("retries(Retries)", DispatcherOptionsTest::retries)
          .option("retries(String, Retries)", DispatcherOptionsTest::retriesOfOneTopic)
          .option("metrics(MetricsExporter)", DispatcherOptionsTest::metrics)
          .option("node(String)", DispatcherOptionsTest::node)
          .option("propagation(Propagation)", DispatcherOptionsTest::propagation)
          .option("transactions(TransactionRunner)", DispatcherOptionsTest::transactionRunner)
          .option("onDead(DeadLetterListener)", DispatcherOptionsTest::onDead)
          .option("signal(NodeSignal)", DispatcherOptionsTest::signal);

  static Stream<OptionTable.Row<DispatcherOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  @Spec("FRM-54")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<DispatcherOptionsTest> option)
      throws Exception {
    option.experiment().run(this);
  }

  @Test
  void everyOptionHasAnExperiment() {
    OPTIONS.assertComplete();
  }

  private void configuration() throws Exception {
    OutboxConfig config = new OutboxConfig().setRetryMaxAttempts(1);
    OutboxDispatcher.Builder builder = builder().config(config).listeners(failing());
    config.setRetryMaxAttempts(5);

    String id = publish(client(closing(builder.build())), "Any");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(1);
    String retried = publish(client(closing(builder().listeners(failing()).build())), "Any");
    awaitStatus(retried, EventStatus.RETRY);
  }

  private void listeners() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    DefaultListenerRegistry listeners =
        new DefaultListenerRegistry().register("Any", event -> handled.add(event.eventId()));

    String id = publish(client(closing(builder().listeners(listeners).build())), "Any");

    awaitTrue(() -> handled.equals(List.of(id)));
    String unhandled = store(EventEnvelope.ofJson("Any", "{}"));
    poller(closing(builder().build())).poll();
    awaitTrue(() -> spied.count("defer") == 1);
    assertThat(row(unhandled).orElseThrow().status()).isEqualTo(EventStatus.NEW);
  }

  private void inFlightTracker() throws Exception {
    List<String> released = new CopyOnWriteArrayList<>();
    InFlightTracker refusing =
        new InFlightTracker() {
          @Override
          public boolean tryAcquire(String eventId) {
            return !eventId.equals("refused");
          }

          @Override
          public void release(String eventId) {
            released.add(eventId);
          }
        };

    assertThat(handled(builder().inFlightTracker(refusing), "accepted", "refused"))
        .containsExactly("accepted");
    assertThat(released).contains("accepted").doesNotContain("refused");
    assertThat(handled(builder(), "refused", "refused")).containsExactly("refused");
  }

  /** Which events run, if these are queued one after the other. */
  private List<String> handled(OutboxDispatcher.Builder builder, String... ids) throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    Gate gate = new Gate();
    OutboxDispatcher dispatcher =
        closing(
            builder
                .listeners(
                    new DefaultListenerRegistry()
                        .register("Gate", gate)
                        .register("Any", event -> handled.add(event.eventId())))
                .config(new OutboxConfig().setDispatcherWorkers(1))
                .build());
    closing(gate);
    publish(client(dispatcher), "Gate");
    awaitTrue(() -> gate.entered() == 1);
    for (String id : ids) {
      EventEnvelope event = EventEnvelope.builder("Any").eventId(id).payloadJson("{}").build();
      if (row(id).isEmpty()) {
        store(event);
      }
      dispatcher.enqueueHot(new QueuedEvent(event, Source.HOT, 0));
    }
    gate.close();
    dispatcher.close();
    return handled;
  }

  private void retries() throws Exception {
    assertThat(delayOf(builder().retries(fixed(70)), "Any")).isEqualTo(Duration.ofSeconds(70));
    assertThat(delayOf(builder(), "Any")).isLessThan(Duration.ofSeconds(1));
  }

  private void retriesOfOneTopic() throws Exception {
    assertThat(delayOf(builder().retries("Slow", fixed(70)), "Slow"))
        .isEqualTo(Duration.ofSeconds(70));
    assertThat(delayOf(builder().retries("Slow", fixed(70)), "Any"))
        .isLessThan(Duration.ofSeconds(1));
  }

  private void metrics() throws Exception {
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        closing(
            builder()
                .metrics(metrics)
                .config(new OutboxConfig().setRetryMaxAttempts(1))
                .listeners(failing())
                .build());

    publish(client(dispatcher), "Any");

    awaitTrue(() -> metrics.dead() == 1);
    assertThat(metrics.failure()).isEqualTo(1);
  }

  private void node() throws Exception {
    assertThat(processedBy(builder())).startsWith("pid" + ProcessHandle.current().pid() + ".");
    assertThat(processedBy(builder().node("shop-1"))).startsWith("shop-1.");
    assertThat(processedBy(builder().node("a".repeat(30)))).startsWith("a".repeat(20) + ".");
  }

  private @Nullable String processedBy(OutboxDispatcher.Builder builder) throws Exception {
    OutboxDispatcher dispatcher =
        closing(builder.listeners(new DefaultListenerRegistry().registerAll(event -> {})).build());
    String id = publish(client(dispatcher), "Any");
    awaitStatus(id, EventStatus.DONE);
    return row(id).orElseThrow().processedBy();
  }

  private void propagation() throws Exception {
    List<String> around = new CopyOnWriteArrayList<>();
    Propagation propagation =
        new Propagation() {
          @Override
          public Map<String, String> headers(String topic) {
            return TRACE.headers(topic);
          }

          @Override
          public <T> T around(EventEnvelope event, Callable<T> listener) throws Exception {
            around.add(event.eventId());
            return listener.call();
          }
        };

    assertThat(headersOf(builder().propagation(propagation))).isEqualTo(Map.of("trace", "of Any"));
    assertThat(around).hasSize(1);
    assertThat(headersOf(builder())).isEmpty();
  }

  private Map<String, String> headersOf(OutboxDispatcher.Builder builder) throws Exception {
    List<Map<String, String>> headers = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        closing(
            builder
                .listeners(
                    new DefaultListenerRegistry()
                        .registerAll(event -> headers.add(event.headers())))
                .build());
    publish(client(dispatcher), "Any");
    awaitTrue(() -> headers.size() == 1);
    return headers.get(0);
  }

  private void transactionRunner() throws Exception {
    AtomicInteger begun = new AtomicInteger();
    DefaultListenerRegistry listeners =
        new DefaultListenerRegistry().registerTransactional("Any", (event, connection) -> {});
    OutboxDispatcher with =
        closing(
            builder()
                .listeners(listeners)
                .transactions(
                    work -> {
                      begun.incrementAndGet();
                      transactions().run(work);
                    })
                .build());
    awaitStatus(publish(client(with), "Any"), EventStatus.DONE);
    assertThat(begun).hasValue(1);

    OutboxDispatcher without = closing(builder().listeners(listeners).build());
    String refused = publish(client(without), "Any");
    awaitStatus(refused, EventStatus.RETRY);
    assertThat(row(refused).orElseThrow().lastError()).contains("transactions(");
  }

  private void onDead() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        closing(
            builder()
                .config(new OutboxConfig().setRetryMaxAttempts(1))
                .listeners(failing())
                .onDead((store, letter) -> told.add(letter.event().eventId()))
                .build());

    String id = publish(client(dispatcher), "Any");

    awaitTrue(() -> told.equals(List.of(id)));
  }

  private void signal() throws Exception {
    AtomicInteger sent = new AtomicInteger();
    AtomicReference<@Nullable Runnable> signalled = new AtomicReference<>();
    NodeSignal signal =
        new NodeSignal() {
          @Override
          public void listen(Runnable onSignal) {
            signalled.set(onSignal);
          }

          @Override
          public void send() {
            sent.incrementAndGet();
          }

          @Override
          public void close() {}
        };
    List<String> handled = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        closing(
            builder()
                .signal(signal)
                .listeners(
                    new DefaultListenerRegistry()
                        .registerAll(event -> handled.add(event.eventId())))
                .build());
    closing(
            new OutboxPoller(
                connections(),
                spied.store(),
                dispatcher,
                Duration.ZERO,
                200,
                3_600_000,
                MetricsExporter.NOOP))
        .start();
    awaitTrue(() -> !spied.claims().isEmpty());

    dispatcher.wakePollers();
    assertThat(sent.get()).isPositive();
    store(EventEnvelope.ofJson("Any", "{}"));
    requireNonNull(signalled.get(), "nothing listens").run();
    awaitTrue(() -> handled.size() == 1);
  }
}

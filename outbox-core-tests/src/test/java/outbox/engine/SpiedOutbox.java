package outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;
import outbox.testing.memory.InMemoryOutbox;

/** An outbox in memory of which the test sees how the engine uses its store. */
abstract class SpiedOutbox extends InMemoryOutbox {
  static final Propagation TRACE =
      new Propagation() {
        @Override
        public Map<String, String> headers(String topic) {
          return Map.of("trace", "of " + topic);
        }
      };

  SpiedStore spied = new SpiedStore(store());

  /** Dispatchers that are made from now on are seen by themselves. */
  void resetSpy() {
    spied = new SpiedStore(store());
  }

  OutboxDispatcher.Builder builder() {
    return OutboxDispatcher.builder(connections(), spied.store());
  }

  @Override
  public OutboxDispatcher dispatcher(
      OutboxConfig config, DefaultListenerRegistry listeners, MetricsExporter metrics) {
    return closing(
        builder()
            .config(config)
            .listeners(listeners)
            .metrics(metrics)
            .transactions(transactions())
            .build());
  }

  /** A dispatcher whose listeners wait at the gate, which opens before the dispatcher closes. */
  OutboxDispatcher gated(OutboxConfig config, Gate gate) {
    OutboxDispatcher dispatcher =
        dispatcher(config, new DefaultListenerRegistry().registerAll(gate));
    closing(gate);
    return dispatcher;
  }

  static DefaultListenerRegistry failing() {
    return new DefaultListenerRegistry()
        .registerAll(
            event -> {
              throw new IllegalStateException("refused");
            });
  }

  /**
   * The delays that the dispatcher asks for, one after each failure of an event.
   *
   * @param builder makes a dispatcher whose listeners fail
   */
  List<Duration> delaysOf(OutboxDispatcher.Builder builder, String topic, int failures)
      throws Exception {
    OutboxPoller poller = poller(closing(builder.listeners(failing()).build()));
    String id = store(EventEnvelope.ofJson(topic, "{}"));
    for (int i = 1; i <= failures; i++) {
      int expected = i;
      awaitTrue(
          () -> {
            poller.poll();
            return spied.retryDelays(id).size() == expected
                && row(id).orElseThrow().owner() == null;
          });
      advance(Duration.ofDays(1));
    }
    return spied.retryDelays(id);
  }

  Duration delayOf(OutboxDispatcher.Builder builder, String topic) throws Exception {
    return delaysOf(builder, topic, 1).get(0);
  }

  static Retries fixed(int seconds) {
    return Retries.fixed(Duration.ofSeconds(seconds)).jitter(0);
  }

  @Override
  public OutboxClient client(OutboxDispatcher dispatcher) {
    return new OutboxClient(txContext(), spied.store(), dispatcher, MetricsExporter.NOOP);
  }

  @Override
  public OutboxPoller poller(OutboxDispatcher dispatcher) {
    return closing(
        new OutboxPoller(
            connections(),
            spied.store(),
            dispatcher,
            Duration.ZERO,
            200,
            50,
            MetricsExporter.NOOP));
  }
}

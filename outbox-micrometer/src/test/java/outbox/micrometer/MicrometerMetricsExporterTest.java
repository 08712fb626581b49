package outbox.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.DeliveryRecord;
import outbox.spi.DeliveryRecord.Outcome;
import outbox.spi.MetricsExporter;
import outbox.testing.memory.InMemoryEventStore;

class MicrometerMetricsExporterTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final MicrometerMetricsExporter exporter = MicrometerMetricsExporter.of(registry);

  @Test
  void countsWhatTheEngineCounts() {
    exporter.incrementHotEnqueued();
    exporter.incrementColdEnqueued();
    exporter.incrementHotDropped();
    exporter.incrementDispatchSuccess();
    exporter.incrementDispatchFailure();
    exporter.incrementDispatchDead();
    exporter.incrementLeaseLost();

    assertThat(counter("outbox.enqueued", "lane", "hot")).isOne();
    assertThat(counter("outbox.enqueued", "lane", "cold")).isOne();
    assertThat(counter("outbox.hot.dropped")).isOne();
    assertThat(counter("outbox.dispatched", "outcome", "success")).isOne();
    assertThat(counter("outbox.dispatched", "outcome", "failure")).isOne();
    assertThat(counter("outbox.dispatched", "outcome", "dead")).isOne();
    assertThat(counter("outbox.lease.lost")).isOne();
  }

  @Test
  void showsTheLastValueOfEachGauge() {
    exporter.recordQueueDepths(3, 5);
    exporter.recordOldestLagMs(1500);
    exporter.recordOutage("eu", true);
    exporter.recordOutage("us", true);
    exporter.recordOutage("us", false);

    assertThat(gauge("outbox.queue.depth", "lane", "hot")).isEqualTo(3);
    assertThat(gauge("outbox.queue.depth", "lane", "cold")).isEqualTo(5);
    assertThat(registry.get("outbox.oldest.lag").timeGauge().value(TimeUnit.SECONDS))
        .isEqualTo(1.5);
    assertThat(gauge("outbox.stores.down")).isOne();
  }

  @Test
  void leavesNoHookOfTheSpiOut() {
    List<String> overridden =
        Arrays.stream(MicrometerMetricsExporter.class.getDeclaredMethods())
            .map(Method::getName)
            .toList();

    assertThat(MetricsExporter.class.getMethods())
        .filteredOn(method -> !java.lang.reflect.Modifier.isStatic(method.getModifiers()))
        .allSatisfy(method -> assertThat(overridden).contains(method.getName()));
  }

  @Test
  void timesDeliveriesByTopicAndOutcome() {
    exporter.recordDelivery(delivery("paid", Outcome.RETRY, 1));
    exporter.recordDelivery(delivery("paid", Outcome.DONE, 2));

    assertThat(handling("paid", "retry").count()).isOne();
    assertThat(handling("paid", "done").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(20);
    assertThat(latency("paid").count()).as("only first deliveries tell the latency").isOne();
    assertThat(latency("paid").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(7);
  }

  @Test
  void topicsBeyondTheLimitShareATag() {
    MicrometerMetricsExporter bounded =
        MicrometerMetricsExporter.builder(registry).tag("queue", "bounded").maxTopics(2).build();

    for (String topic : List.of("a", "b", "c", "d", "a")) {
      bounded.recordDelivery(delivery(topic, Outcome.DONE, 1));
    }

    assertThat(
            registry.find("outbox.dispatch.latency").tag("queue", "bounded").timers().stream()
                .map(timer -> timer.getId().getTag("topic") + "=" + timer.count()))
        .containsExactlyInAnyOrder("a=2", "b=1", "other=2");
  }

  @Test
  void refusesNegativeLimit() {
    assertThatThrownBy(() -> MicrometerMetricsExporter.builder(registry).maxTopics(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxTopics (-1) must not be negative");
  }

  @Test
  void engineReportsEachDeliveryWithoutSpring() {
    InMemoryEventStore store = new InMemoryEventStore();
    DefaultListenerRegistry listeners =
        new DefaultListenerRegistry()
            .register("paid", event -> {})
            .register(
                "broken",
                event -> {
                  throw new IllegalStateException("broken");
                });
    try (OutboxDispatcher dispatcher =
        OutboxDispatcher.builder(store.connections(), store)
            .config(new OutboxConfig().setRetryMaxAttempts(1))
            .listeners(listeners)
            .metrics(exporter)
            .build()) {
      for (String topic : List.of("paid", "broken")) {
        EventEnvelope event = EventEnvelope.ofJson(topic, "{}");
        store
            .connections()
            .inAutoCommit(
                connection -> {
                  store.insertNew(connection, event);
                  return true;
                });
        dispatcher.enqueueHot(new QueuedEvent(event, QueuedEvent.Source.HOT, 0));
      }

      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () -> {
                assertThat(handling("paid", "done").count()).isOne();
                assertThat(handling("broken", "dead").count()).isOne();
              });
      assertThat(latency("paid").count()).isOne();
    }
  }

  private static DeliveryRecord delivery(String topic, Outcome outcome, int attempt) {
    return new DeliveryRecord(topic, outcome, attempt, Duration.ofMillis(7), Duration.ofMillis(20));
  }

  private Timer handling(String topic, String outcome) {
    return registry.get("outbox.handler.duration").tags("topic", topic, "outcome", outcome).timer();
  }

  private Timer latency(String topic) {
    return registry.get("outbox.dispatch.latency").tags("topic", topic).timer();
  }

  private double counter(String name, String... tags) {
    return registry.get(name).tags(tags).counter().count();
  }

  private double gauge(String name, String... tags) {
    return registry.get(name).tags(tags).gauge().value();
  }
}

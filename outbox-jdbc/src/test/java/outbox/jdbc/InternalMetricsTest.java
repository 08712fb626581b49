package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxHandler;
import outbox.contracts.support.CountingMetrics;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.metrics.ActivityMeter;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;
import outbox.spi.DeliveryRecord;
import outbox.spi.MetricsExporter;

/** What an engine reports to a user's metrics of the messages that the library sends to itself. */
class InternalMetricsTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final TestDatabase database = TestDatabase.create(Product.H2);
  private final CountingMetrics counted = new CountingMetrics();
  private final Set<String> topics = ConcurrentHashMap.newKeySet();
  private final ActivityMeter meter = new ActivityMeter(LONG, counted);
  private final Set<String> handled = ConcurrentHashMap.newKeySet();

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void theWaitOfAJoinIsNoDelivery() {
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(database.dataSource())
            .createSchema()
            .joins()
            .metrics(metrics())
            .handler("step", (message, context) -> handled.add("step"))
            .handler("next", (message, context) -> handled.add("next"))
            .start()) {
      outbox.joins().plan().step("step", "{}").onComplete("next", "{}").start();
      awaitBoth();
    }
    assertTwoDeliveries();
  }

  @Test
  void theWaitOfAJoinOfManyDatabasesIsNoDelivery() {
    try (JdbcOutboxes outboxes =
        JdbcOutboxes.builder()
            .database("one", database.dataSource())
            .createSchema()
            .joins()
            .metrics(metrics())
            .handler(OutboxHandler.of("step", (message, context) -> handled.add("step")))
            .handler(OutboxHandler.of("next", (message, context) -> handled.add("next")))
            .start()) {
      Outbox outbox = outboxes.getOutbox("one");
      JoinIdentifier join = outbox.joins().startJoin("one", 1, null);
      outbox.joins().enqueueStep(join, EventEnvelope.ofJson("step", "{}"));
      MessageId unused = outbox.joins().enqueueJoinWait(join, true, "next", "{}");
      awaitBoth();
    }
    assertTwoDeliveries();
  }

  private void awaitBoth() {
    await().atMost(LONG).until(() -> counted.success() >= 2 && handled.contains("next"));
  }

  private void assertTwoDeliveries() {
    assertThat(handled).containsExactlyInAnyOrder("step", "next");
    assertThat(counted.success()).isEqualTo(2);
    assertThat(counted.coldEnqueued() + counted.hotEnqueued()).isEqualTo(2);
    assertThat(meter.get().processed()).isEqualTo(2);
    assertThat(topics).containsExactlyInAnyOrder("step", "next");
  }

  /** Passes all on, and notes the topics of deliveries. */
  private MetricsExporter metrics() {
    return (MetricsExporter)
        Proxy.newProxyInstance(
            MetricsExporter.class.getClassLoader(),
            new Class<?>[] {MetricsExporter.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("recordDelivery")) {
                topics.add(((DeliveryRecord) arguments[0]).topic());
              }
              return method.invoke(meter, arguments);
            });
  }
}

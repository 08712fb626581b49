package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.schema.OutboxSchema;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.spring.SpringTransactionRunner;
import outbox.spring.SpringTxContext;

/** The parts without Spring Boot. */
class WiringSamplesTest {
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final HikariDataSource dataSource = new HikariDataSource();

  @AfterEach
  void close() {
    dataSource.close();
  }

  @Test
  void outboxRunsInTransactionsOfSpring() {
    dataSource.setJdbcUrl("jdbc:h2:mem:wiring;DB_CLOSE_DELAY=-1");
    OutboxSchema.of(dataSource).deploy();
    JdbcTransactionManager transactionManager = new JdbcTransactionManager(dataSource);
    // region spring-adapter
    JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .transactions(
                new SpringTxContext(dataSource).watch(transactionManager),
                new SpringTransactionRunner(transactionManager, dataSource))
            .listener("order.placed", event -> handled.add(event.eventId()))
            .start();
    // endregion
    try (outbox) {
      String id =
          new TransactionTemplate(transactionManager)
              .execute(status -> outbox.publish(EventEnvelope.ofJson("order.placed", "{}")));

      await().atMost(Duration.ofSeconds(30)).until(() -> handled.contains(id));
    }
  }

  @Test
  void metricsNeedNoSpring() throws Exception {
    dataSource.setJdbcUrl("jdbc:h2:mem:meters;DB_CLOSE_DELAY=-1");
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    // region micrometer
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource).metrics(MicrometerMetricsExporter.of(registry));
    // endregion
    try (JdbcOutbox outbox = builder.createSchema().listener("a", event -> {}).start()) {
      outbox.inTransaction(connection -> outbox.publish(EventEnvelope.ofJson("a", "{}")));
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(
                          registry
                              .get("outbox.dispatched")
                              .tag("outcome", "success")
                              .counter()
                              .count())
                      .isOne());
    }
  }
}

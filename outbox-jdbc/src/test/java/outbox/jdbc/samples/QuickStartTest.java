package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.contracts.support.Spec;
import outbox.dispatch.DefaultInFlightTracker;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.JdbcTransactionManager;
import outbox.jdbc.ThreadLocalTxContext;
import outbox.jdbc.schema.OutboxSchema;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;

/**
 * The specification's quick start as written, which docs/manual-wiring.md quotes. Only what its
 * three comments ask for is filled in.
 */
class QuickStartTest {

  @Test
  @Spec("FRM-93")
  @SuppressWarnings("CanonicalDuration")
  void quickStartOfTheSpecificationWorksAsWritten() {
    Set<String> ran = ConcurrentHashMap.newKeySet();
    try (SampleDatabase database = new SampleDatabase()) {
      OutboxSchema.of(database.dataSource()).deploy();

      // region quick-start
      DataSource dataSource = /* your DataSource */ database.dataSource();

      JdbcOutboxRepository repository = new JdbcOutboxRepository();
      DataSourceConnectionProvider connectionProvider =
          new DataSourceConnectionProvider(dataSource);
      ThreadLocalTxContext txContext = new ThreadLocalTxContext();

      OutboxDispatcher dispatcher =
          new OutboxDispatcher(
              connectionProvider,
              repository,
              new DefaultListenerRegistry()
                  .register(
                      "UserCreated",
                      event -> {
                        // publish to MQ, update cache, call API, etc.
                        ran.add("UserCreated " + event.payloadJson()); // filled in
                      })
                  .registerAll(
                      event -> {
                        // audit/logging for all events
                        ran.add("all " + event.payloadJson()); // filled in
                      }),
              new DefaultInFlightTracker(),
              new ExponentialBackoffRetryPolicy(200, 60_000),
              10,
              4,
              1000,
              1000,
              MetricsExporter.NOOP);

      OutboxPoller poller =
          new OutboxPoller(
              connectionProvider,
              repository,
              dispatcher,
              Duration.ofMillis(1000),
              200,
              5000,
              MetricsExporter.NOOP);
      poller.start();

      JdbcTransactionManager txManager = new JdbcTransactionManager(connectionProvider, txContext);

      try (JdbcTransactionManager.Transaction tx = txManager.begin()) {
        OutboxClient client =
            new OutboxClient(txContext, repository, dispatcher, MetricsExporter.NOOP);
        client.publish(EventEnvelope.ofJson("UserCreated", "{\"id\":123}"));
        tx.commit();
      }
      // endregion

      poller.close();
      dispatcher.close();
      assertThat(database.number("SELECT COUNT(*) FROM outbox_event WHERE status = 1"))
          .isEqualTo(1);
    }
    assertThat(ran).containsExactlyInAnyOrder("UserCreated {\"id\":123}", "all {\"id\":123}");
  }
}

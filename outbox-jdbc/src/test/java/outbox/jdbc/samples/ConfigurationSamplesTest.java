package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.dispatch.Retries;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.OutboxSchema;
import outbox.testing.CountingMetrics;

class ConfigurationSamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void outboxWithSettings() throws Exception {
    CountingMetrics metrics = new CountingMetrics();

    // region config
    OutboxConfig config =
        new OutboxConfig()
            .setDispatcherWorkers(8)
            .setLeaseDuration(Duration.ofSeconds(20))
            .setRetryMaxAttempts(5)
            .setMaxHandlingTime("ReportOrdered", Duration.ofMinutes(30));
    // endregion

    // region options
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .config(config)
            .store(
                JdbcOutboxRepository.builder()
                    .tableName("shop_outbox")
                    .deleteWhenDone(true)
                    .maxErrorLength(1000)
                    .build())
            .retries(Retries.of(attempts -> 1000L * attempts))
            .retries("ReportOrdered", Retries.patient().maxAge(Duration.ofDays(1)))
            .metrics(metrics)
            .node("shop-1");
    // endregion

    try (JdbcOutbox outbox =
        builder.createSchema().listener("ReportOrdered", event -> {}).start()) {
      outbox.inTransaction(
          connection -> outbox.publish(EventEnvelope.ofJson("ReportOrdered", "{}")));
    }

    assertThat(metrics.success()).isEqualTo(1);
    assertThat(database.number("SELECT COUNT(*) FROM shop_outbox")).isZero();
  }

  @Test
  void schemaIsDeployedPrintedAndFinalized() {
    // region deploy
    OutboxSchema schema = OutboxSchema.of(dataSource).tableName("shop_outbox");
    schema.deploy();
    // endregion

    // region script
    String ddl = schema.script();
    // endregion

    // region finalize
    schema.finalizeUpgrade();
    // endregion

    assertThat(ddl).contains("CREATE TABLE IF NOT EXISTS shop_outbox").contains("claimable_at");
    assertThat(database.number("SELECT MAX(version) FROM shop_outbox_schema")).isEqualTo(4);
  }
}

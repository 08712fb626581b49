package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.contracts.support.CountingMetrics;
import outbox.dispatch.Retries;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.OutboxSchema;
import outbox.jdbc.schema.SchemaScript;
import outbox.jdbc.schema.SqlDialect;

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
    SchemaScript scripts = SchemaScript.of(SqlDialect.POSTGRESQL).tableName("shop_outbox");
    String outbox = scripts.outbox();
    String joins = scripts.joins("shop_join");
    String inbox = scripts.inbox("shop_inbox");
    String routines = scripts.routines();
    // endregion

    // region finalize
    schema.finalizeUpgrade();
    // endregion

    assertThat(schema.script()).contains("CREATE TABLE shop_outbox (").contains("claimable_at");
    assertThat(outbox).contains("CREATE TABLE shop_outbox (").doesNotContain("claimable_at");
    assertThat(joins).contains("CREATE TABLE shop_join_member (");
    assertThat(inbox).contains("CREATE TABLE shop_inbox (");
    assertThat(routines).contains("FUNCTION shop_outbox_claim(");
    assertThat(database.number("SELECT MAX(version) FROM shop_outbox_schema")).isEqualTo(5);
  }
}

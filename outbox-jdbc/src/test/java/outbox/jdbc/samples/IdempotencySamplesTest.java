package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxClient;
import outbox.OutboxIdempotency;
import outbox.OutboxWriter;
import outbox.jdbc.JdbcOutbox;

class IdempotencySamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void publishTwice() throws Exception {
    try (JdbcOutbox jdbcOutbox = JdbcOutbox.builder(dataSource).createSchema().start()) {
      OutboxClient client = jdbcOutbox.client();
      jdbcOutbox.inTransaction(
          connection -> {
            // region idempotent-publish
            UUID key = OutboxIdempotency.createKey("acme", "order", 42, "placed");

            EventEnvelope placed =
                EventEnvelope.builder("OrderPlaced")
                    .tenantId("acme")
                    .idempotencyKey(key)
                    .payloadJson("{\"order\":42}")
                    .build();
            String id = client.publish(placed); // the first time
            String same = client.publish(placed); // from then on: the id of the first event
            // endregion
            assertThat(same).isEqualTo(id);
          });
    }
    assertThat(database.number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
  }

  @Test
  void addTwice() throws Exception {
    try (JdbcOutbox jdbcOutbox = JdbcOutbox.builder(dataSource).createSchema().start()) {
      Outbox outbox = jdbcOutbox.queue();
      UUID invoiceKey = OutboxIdempotency.createKey("acme", "invoice", 7, "sent");
      UUID reportKey = OutboxIdempotency.createKey("acme", "report", 3, "sent");
      String report = "{}";
      // region idempotent-writer
      OutboxWriter writer = new OutboxWriter(outbox);

      Outbox.Enqueued added = writer.add("acme", "invoice.send", "{\"invoice\":7}", invoiceKey);
      Outbox.Enqueued again = writer.add("acme", "invoice.send", "{\"invoice\":7}", invoiceKey);
      // again.id() is added.id(), again.alreadyExisted() is true

      writer.tryAdd(
          "acme",
          reportKey,
          () ->
              EventEnvelope.builder("report.send")
                  .payloadJson(render(report))); // only if it is new
      // endregion
      assertThat(again.id()).isEqualTo(added.id());
      assertThat(again.alreadyExisted()).isTrue();
    }
    assertThat(database.number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(2);
  }

  private static String render(String report) {
    return report;
  }
}

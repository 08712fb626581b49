package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.OutboxConfig;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/** What an operator reads at INFO and above. */
class OutboxLogTest {
  @SuppressWarnings("NullAway.Init")
  private static TestDatabase database;

  @BeforeAll
  static void create() {
    database = TestDatabase.create(Product.POSTGRES_NEWEST);
    OutboxSchema.of(database.dataSource()).deploy();
  }

  @AfterAll
  static void drop() {
    if (database != null) {
      database.close();
    }
  }

  @Test
  void oneLineSaysWhatRunsAndOneThatItHasEnded() throws Exception {
    AtomicInteger handled = new AtomicInteger();
    List<String> lines;
    try (LogLines log = LogLines.open()) {
      try (JdbcOutbox outbox =
          JdbcOutbox.builder(database.dataSource())
              .listener("Placed", event -> handled.incrementAndGet())
              .listener("Placed", event -> handled.incrementAndGet())
              .listener("Paid", event -> handled.incrementAndGet())
              .start()) {
        outbox.start();
        outbox.inTransaction(connection -> outbox.publish("Placed", "{}"));
        await().atMost(Duration.ofSeconds(60)).until(() -> handled.get() == 2);
      }
      lines = log.from(Level.INFO);
    }

    assertThat(lines).hasSize(2);
    assertThat(lines.get(0))
        .matches(
            "started version=\\S+ database=PostgreSQL \\d.* table=outbox_event"
                + " listeners=\\[Paid: 1, Placed: 2] workers=4 poll=PT5S lease=PT30S");
    assertThat(lines.get(1)).isEqualTo("closed table=outbox_event");
  }

  @Test
  void aConnectionThatBreaksUnderAListenerIsOneOutageNotAFailureOfEachEvent() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    List<String> troubles;
    try (LogLines log = LogLines.open()) {
      try (JdbcOutbox outbox =
          JdbcOutbox.builder(database.dataSource())
              .config(new OutboxConfig().setRetryBaseDelayMs(1).setRetryMaxDelayMs(1))
              .transactionalListener(
                  "Cut",
                  (event, connection) -> {
                    if (runs.incrementAndGet() <= 2) {
                      try (Statement statement = connection.createStatement()) {
                        statement.execute("SELECT pg_terminate_backend(pg_backend_pid())");
                      }
                    }
                  })
              .start()) {
        outbox.inTransaction(
            connection -> {
              outbox.publish("Cut", "{}");
              outbox.publish("Cut", "{}");
            });
        await().atMost(Duration.ofSeconds(60)).until(() -> runs.get() == 4);
      }
      troubles = log.from(Level.WARNING);
    }

    assertThat(troubles)
        .singleElement()
        .asString()
        .startsWith("database unavailable during=transaction");
  }
}

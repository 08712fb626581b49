package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/** A listener that never returns, and ignores interrupts, on a real database. */
@Tag("slow")
class StuckListenerTest {
  private static final OutboxConfig CONFIG =
      new OutboxConfig()
          .setDispatcherWorkers(1)
          .setLeaseDuration(Duration.ofSeconds(1))
          .setPollerIntervalMs(200)
          .setMaxHandlingTime(Duration.ofMillis(200))
          .setMaxLeaseExpiries(2)
          .setDrainTimeout(Duration.ZERO);

  @Test
  void itsEventEndsDeadAndOthersGoOn() throws Exception {
    Set<String> handled = ConcurrentHashMap.newKeySet();
    CountDownLatch end = new CountDownLatch(1);
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      OutboxSchema.of(database.dataSource()).deploy();
      try (JdbcOutbox outbox =
          JdbcOutbox.builder(database.dataSource())
              .config(CONFIG)
              .listener("stuck", event -> awaitIgnoringInterrupts(end))
              .listener("good", event -> handled.add(event.eventId()))
              .start()) {
        String stuck = publish(outbox, "stuck");
        String good = publish(outbox, "good");
        await().atMost(Chaos.PATIENCE).until(() -> handled.contains(good));
        await().atMost(Chaos.PATIENCE).until(() -> error(database, stuck).startsWith("poisoned"));
        String later = publish(outbox, "good");
        await().atMost(Chaos.PATIENCE).until(() -> handled.contains(later));
        assertThat(handled).containsExactlyInAnyOrder(good, later);
      } finally {
        end.countDown();
      }
    }
  }

  private static String publish(JdbcOutbox outbox, String type) throws Exception {
    EventEnvelope event = EventEnvelope.ofJson(type, "{}");
    outbox.inTransaction(connection -> outbox.publish(event));
    return event.eventId();
  }

  /** Why the event is dead; empty while it is not. */
  private static String error(TestDatabase database, String id) throws SQLException {
    String sql = "SELECT last_error FROM outbox_event WHERE status = 3 AND event_id = '%s'";
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.formatted(id))) {
      return row.next() ? row.getString(1) : "";
    }
  }

  private static void awaitIgnoringInterrupts(CountDownLatch end) {
    boolean ended = false;
    while (!ended) {
      try {
        end.await();
        ended = true;
      } catch (InterruptedException e) {
        // Bad manners are the point.
      }
    }
  }
}

package outbox.spring.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.testing.Spec;

/** {@code -Doutbox.shutdown=full} puts it under load for ten times as long. */
class PackagedDemoTest {
  private static final boolean FULL = "full".equals(System.getProperty("outbox.shutdown"));
  private static final int REQUESTS_PER_SECOND = 500;
  private static final int ORDERS = FULL ? 10_000 : 1_000;

  /** Of the phases of a shutdown; the application's default. */
  private static final Duration GRACE_PERIOD = Duration.ofSeconds(30);

  @TempDir Path directory;

  @Test
  @Timeout(240)
  @Spec("FRM-20")
  void servesItsTour() throws Exception {
    try (DemoProcess demo = DemoProcess.start(directory.resolve("demo.log"))) {
      Process tour =
          new ProcessBuilder("bash", "tour.sh", demo.baseUrl()).redirectErrorStream(true).start();
      String output = new String(tour.getInputStream().readAllBytes(), UTF_8);

      assertThat(tour.waitFor()).as(output + demo.log()).isZero();
      assertThat(output)
          .contains("\"paid\":true")
          .contains("\"status\":\"DONE\",\"attempts\":2")
          .contains("\"status\":\"DEAD\",\"attempts\":4")
          .contains("outbox_dispatched_total{outcome=\"dead\",queue=\"outbox\"} 1.0")
          .contains("outbox_handler_duration_seconds_count{")
          .contains("\"outbox\":{\"status\":\"UP\"}")
          .contains("Orders");
    }
  }

  @Test
  @Timeout(240)
  void shutdownUnderLoadLosesNothingAndHandlesNothingTwice() throws Exception {
    String url =
        "jdbc:h2:file:" + directory.resolve("orders").toAbsolutePath() + ";DB_CLOSE_ON_EXIT=FALSE";
    Path log = directory.resolve("demo.log");
    try (DemoProcess demo = DemoProcess.start(log, "--spring.datasource.url=" + url);
        OrderLoad load = new OrderLoad(demo.baseUrl(), REQUESTS_PER_SECOND, ORDERS)) {
      assertThat(load.awaitEnough()).isTrue();
      demo.terminate();

      assertThat(demo.awaitEnd(GRACE_PERIOD)).as("128 + SIGTERM").isEqualTo(143);
      assertThat(load.awaitEnd()).isTrue();
      assertThat(demo.log()).doesNotContain("\tat ", "Exception", "ERROR");
      try (Connection connection = DriverManager.getConnection(url, "sa", "")) {
        account(connection, Set.copyOf(load.accepted()));
      }
    }
  }

  private static void account(Connection connection, Set<String> accepted) throws SQLException {
    Set<String> orders = column(connection, "SELECT id FROM orders");
    Set<String> events = column(connection, "SELECT event_id FROM orders");
    assertThat(orders).containsAll(accepted);
    assertThat(column(connection, "SELECT event_id FROM outbox_event"))
        .as("an event for each order")
        .isEqualTo(events);
    assertThat(column(connection, "SELECT event_id FROM payment"))
        .as("handled exactly those that are done")
        .isEqualTo(column(connection, "SELECT event_id FROM outbox_event WHERE status = 1"));
    assertThat(
            column(
                connection, "SELECT event_id FROM payment GROUP BY event_id HAVING count(*) > 1"))
        .as("handled twice")
        .isEmpty();
    assertThat(column(connection, "SELECT event_id FROM outbox_event WHERE status NOT IN (0, 1)"))
        .as("failed")
        .isEmpty();
  }

  private static Set<String> column(Connection connection, String sql) throws SQLException {
    Set<String> values = new HashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }
}

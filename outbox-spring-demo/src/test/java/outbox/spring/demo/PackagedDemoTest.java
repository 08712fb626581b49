package outbox.spring.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import outbox.contracts.support.Spec;

/**
 * {@code -Doutbox.shutdown=full} puts it under load for much longer, on PostgreSQL too, and wants
 * the rate to be reached.
 */
@Tag("slow")
class PackagedDemoTest {
  private static final boolean FULL = "full".equals(System.getProperty("outbox.shutdown"));
  private static final int REQUESTS_PER_SECOND = 500;
  private static final int ORDERS = FULL ? 10_000 : 300;

  /** Of the phases of a shutdown; the application's default. */
  private static final Duration GRACE_PERIOD = Duration.ofSeconds(30);

  @TempDir Path directory;

  @Test
  @Timeout(900)
  @Spec("FRM-20")
  void servesItsTourAndThenLosesNothingInAShutdownUnderLoad() throws Exception {
    String url =
        "jdbc:h2:file:" + directory.resolve("orders").toAbsolutePath() + ";DB_CLOSE_ON_EXIT=FALSE";
    try (DemoProcess demo = start("--spring.datasource.url=" + url)) {
      takeTour(demo);
      Shutdown shutdown = shutDownUnderLoad(demo, ORDERS);
      try (Connection connection = DriverManager.getConnection(url, "sa", "")) {
        account(connection, shutdown.accepted);
      }
      shutdown.requireRate();
    }
  }

  @Test
  @Timeout(900)
  @EnabledIfSystemProperty(named = "outbox.shutdown", matches = "full")
  void losesNothingInAShutdownUnderLoadOnPostgres() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
      String url = postgres.getJdbcUrl("postgres", "postgres");
      try (DemoProcess demo =
          start("--spring.datasource.url=" + url, "--spring.datasource.username=postgres")) {
        Shutdown shutdown = shutDownUnderLoad(demo, ORDERS);
        try (Connection connection = DriverManager.getConnection(url)) {
          account(connection, shutdown.accepted);
        }
        shutdown.requireRate();
      }
    }
  }

  /** Its database ends with it, in the right order: nothing is in the log. */
  @Test
  @Timeout(900)
  void shutsDownUnderLoadWithTheDatabaseOfItsPostgresProfile() throws Exception {
    try (DemoProcess demo = start("--spring.profiles.active=postgres")) {
      assertThat(shutDownUnderLoad(demo, ORDERS / 2).accepted)
          .hasSizeGreaterThanOrEqualTo(ORDERS / 2);
    }
  }

  private DemoProcess start(String... options) throws IOException {
    return DemoProcess.start(directory.resolve("demo.log"), options);
  }

  private static void takeTour(DemoProcess demo) throws Exception {
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

  private static Shutdown shutDownUnderLoad(DemoProcess demo, int orders) throws Exception {
    String before = demo.log();
    try (OrderLoad load = new OrderLoad(demo.baseUrl(), REQUESTS_PER_SECOND, orders)) {
      assertThat(load.awaitEnough()).isTrue();
      double rate = load.rate();
      demo.terminate();

      System.out.printf("SIGTERM after %d orders at %.0f orders/s%n", orders, rate);
      assertThat(demo.awaitEnd(GRACE_PERIOD)).as("128 + SIGTERM").isEqualTo(143);
      assertThat(load.awaitEnd()).isTrue();
      assertThat(demo.log().substring(before.length()))
          .doesNotContain("\tat ", "Exception", "ERROR");
      return new Shutdown(Set.copyOf(load.accepted()), rate);
    }
  }

  /**
   * A process that ended as it should.
   *
   * @param accepted ids of the orders that it confirmed
   * @param rate confirmed orders per second until the signal
   */
  private record Shutdown(Set<String> accepted, double rate) {
    void requireRate() {
      if (FULL) {
        assertThat(rate).as("orders per second").isGreaterThan(0.9 * REQUESTS_PER_SECOND);
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

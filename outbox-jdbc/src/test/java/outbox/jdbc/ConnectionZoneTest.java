package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/**
 * DATETIME carries no zone. What is stored is UTC, whatever zone the driver, the session or the JVM
 * is set to.
 */
class ConnectionZoneTest {
  private static final Instant DUE = Instant.parse("2026-03-29T01:30:00.123456Z");

  private static Stream<Arguments> cases() {
    List<String> zones =
        List.of(
            "connectionTimeZone=LOCAL",
            "connectionTimeZone=SERVER",
            "connectionTimeZone=Asia/Kolkata",
            "connectionTimeZone=+05:45&forceConnectionTimeZoneToSession=true");
    return Stream.of(Product.MARIADB, Product.MYSQL, Product.MYSQL_BY_MARIADB_DRIVER)
        .flatMap(product -> zones.stream().map(zone -> Arguments.of(product, zone)));
  }

  /** MariaDB's driver does not decode its options. */
  private static String encoded(Product product, String options) {
    return product == Product.MYSQL ? options.replace("+", "%2B") : options;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void instantsAreStoredInUtcAndComeBackInAnyZone(Product product, String options)
      throws Exception {
    TimeZone usual = TimeZone.getDefault();
    JdbcOutboxRepository store = new JdbcOutboxRepository();
    try (TestDatabase database = TestDatabase.create(product);
        HikariDataSource zoned =
            TestDatabase.pool(database.url() + "&" + encoded(product, options))) {
      OutboxSchema.of(database.dataSource()).deploy();
      TimeZone.setDefault(TimeZone.getTimeZone("America/St_Johns"));
      Instant before;
      try (Connection connection = zoned.getConnection()) {
        store.insertNew(
            connection,
            EventEnvelope.builder("Any").eventId("a").dueAt(DUE).payloadJson("{}").build());
      }
      TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Apia"));

      try (Connection connection = database.dataSource().getConnection()) {
        assertThat(text(connection, "due_at")).isEqualTo("2026-03-29 01:30:00.123456");
        assertThat(text(connection, "ABS(TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP())) < 60"))
            .isEqualTo("1");
        before = EventRow.find(database.dataSource(), "a").orElseThrow().createdAt();
      }
      try (Connection connection = zoned.getConnection()) {
        ClaimRequest request =
            new ClaimRequest("me", Duration.ofMinutes(1), 10, Long.MAX_VALUE, null, Duration.ZERO);
        assertThat(store.claim(connection, request).events())
            .extracting(ClaimedEvent::event)
            .singleElement()
            .satisfies(
                event -> {
                  assertThat(event.dueAt()).isEqualTo(DUE);
                  assertThat(event.createdAt()).isEqualTo(before);
                });
      }
    } finally {
      TimeZone.setDefault(usual);
    }
  }

  private static String text(Connection connection, String expression) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT CAST(" + expression + " AS CHAR) FROM outbox_event")) {
      row.next();
      return row.getString(1);
    }
  }
}

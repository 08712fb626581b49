package outbox.jdbc;

import static java.util.Objects.requireNonNull;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.InstantType;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/**
 * DATETIME carries no zone. What is stored is UTC, whatever zone the driver, the session or the JVM
 * is set to.
 */
class ConnectionZoneTest {
  private static final Instant DUE = Instant.parse("2026-03-29T01:30:00.123456Z");

  private static final List<String> ZONES =
      List.of(
          "connectionTimeZone=LOCAL",
          "connectionTimeZone=SERVER",
          "connectionTimeZone=Asia/Kolkata",
          "connectionTimeZone=+05:45&forceConnectionTimeZoneToSession=true");

  private final JdbcOutboxRepository store = new JdbcOutboxRepository();

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL", "MYSQL_BY_MARIADB_DRIVER"})
  void instantsAreStoredInUtcAndComeBackInAnyZone(Product product) throws Exception {
    TimeZone usual = TimeZone.getDefault();
    try (TestDatabase database = TestDatabase.create(product)) {
      OutboxSchema.of(database.dataSource()).deploy();
      for (String zone : ZONES) {
        String options = product == Product.MYSQL ? zone.replace("+", "%2B") : zone;
        try (HikariDataSource zoned = TestDatabase.pool(database.url() + "&" + options)) {
          storesAndReads(database, zoned, zone);
        }
      }
    } finally {
      TimeZone.setDefault(usual);
    }
  }

  private void storesAndReads(TestDatabase database, HikariDataSource zoned, String id)
      throws SQLException {
    TimeZone.setDefault(TimeZone.getTimeZone("America/St_Johns"));
    try (Connection connection = zoned.getConnection()) {
      store.insertNew(
          connection,
          EventEnvelope.builder("Any")
              .eventId(id.substring(0, Math.min(36, id.length())))
              .dueAt(DUE)
              .payloadJson("{}")
              .build());
    }
    TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Apia"));
    Instant created;
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT CAST(due_at AS CHAR) AS due, created_at,"
                    + " ABS(TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP())) AS age"
                    + " FROM outbox_event WHERE owner_token IS NULL")) {
      assertThat(row.next()).as(id).isTrue();
      assertThat(row.getString("due")).as(id).isEqualTo("2026-03-29 01:30:00.123456");
      assertThat(row.getInt("age")).as(id).isLessThan(60);
      created = requireNonNull(InstantType.LOCAL_IN_UTC.get(row, "created_at"));
    }
    ClaimRequest request =
        new ClaimRequest("me", Duration.ofMinutes(1), 10, Long.MAX_VALUE, null, Duration.ZERO);
    try (Connection connection = zoned.getConnection()) {
      assertThat(store.claim(connection, request).events())
          .extracting(ClaimedEvent::event)
          .singleElement()
          .satisfies(
              event -> {
                assertThat(event.dueAt()).as(id).isEqualTo(DUE);
                assertThat(event.createdAt()).as(id).isEqualTo(created);
              });
    }
  }
}

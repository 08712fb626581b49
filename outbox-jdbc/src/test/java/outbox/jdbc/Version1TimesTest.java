package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.LeasedEventStore.ClaimRequest;

/** What an upgrade makes of times that version 1 wrote without saying in which zone. */
class Version1TimesTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private final TestDatabase database = TestDatabase.create(product());

  Product product() {
    return Product.MARIADB;
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void liveRowsOfTheFutureAreRefusedAndNothingIsChanged() throws SQLException {
    insert("a", Instant.now().plus(Duration.ofHours(2)));
    Map<String, Integer> before = TableShape.columnSizes(database.dataSource());

    assertThatThrownBy(() -> schema().deploy())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "table outbox_event has 1 live rows that were created in the future by the database's"
                + " UTC clock")
        .hasMessageContaining("--version1-zone Europe/Berlin");

    assertThat(TableShape.columnSizes(database.dataSource())).isEqualTo(before);
    assertThat(TableShape.columnSizes(database.dataSource(), "outbox_event_step")).isEmpty();
    assertThatThrownBy(
            () -> JdbcOutbox.builder(database.dataSource()).createSchema().start().close())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("created in the future");
  }

  @ParameterizedTest
  @ValueSource(strings = {"+05:30", "-08:00", "Asia/Kolkata"})
  void theTimesAreConvertedFromTheZoneThatIsNamed(String name) throws SQLException {
    ZoneId zone = ZoneId.of(name);
    Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    insert("a", local(now, zone));

    schema().version1Zone(zone).deploy();
    schema().version1Zone(zone).deploy();
    schema().deploy();

    assertThat(row("a").createdAt()).isEqualTo(now);
    assertThat(row("a").availableAt()).isEqualTo(now);
    assertThat(claim()).containsExactly("a");
  }

  @Test
  void summerAndWinterHaveTheirOwnOffset() throws SQLException {
    insert("summer", Instant.parse("2025-07-01T12:00:00Z"));
    insert("winter", Instant.parse("2025-01-01T12:00:00Z"));

    schema().version1Zone(BERLIN).deploy();

    assertThat(row("summer").createdAt()).isEqualTo(Instant.parse("2025-07-01T10:00:00Z"));
    assertThat(row("winter").createdAt()).isEqualTo(Instant.parse("2025-01-01T11:00:00Z"));
  }

  @Test
  void manyRowsAreEachConvertedOnce() throws SQLException {
    Instant noon = Instant.parse("2025-01-01T12:00:00Z");
    for (int i = 0; i < 1_100; i++) {
      insert("row-" + i, noon);
    }

    schema().version1Zone(BERLIN).deploy();

    assertThat(List.of("row-0", "row-499", "row-500", "row-1099"))
        .allSatisfy(
            id -> assertThat(row(id).createdAt()).isEqualTo(noon.minus(Duration.ofHours(1))));
  }

  @Test
  void timesInUtcAndWrongClocksOfAFewMinutesAreTakenAsTheyAre() throws SQLException {
    Instant soon = Instant.now().plus(Duration.ofMinutes(4)).truncatedTo(ChronoUnit.MICROS);
    insert("a", soon);

    schema().deploy();

    assertThat(row("a").createdAt()).isEqualTo(soon);
  }

  @Test
  void whoSaysUtcMeansIt() throws SQLException {
    Instant later = Instant.now().plus(Duration.ofHours(2)).truncatedTo(ChronoUnit.MICROS);
    insert("a", later);

    schema().version1Zone(ZoneOffset.UTC).deploy();

    assertThat(row("a").createdAt()).isEqualTo(later);
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES_OLDEST"})
  void aDatabaseThatKeepsTheZoneNeedsNoConversion(Product product) throws SQLException {
    try (TestDatabase zoned = TestDatabase.create(product)) {
      Instant later = Instant.now().plus(Duration.ofHours(2));
      Version1.create(zoned.dataSource());
      try (Connection connection = zoned.dataSource().getConnection()) {
        Version1.insert(connection, "a", "payload", null, later);
      }

      OutboxSchema.of(zoned.dataSource()).version1Zone(BERLIN).deploy();

      assertThat(EventRow.find(zoned.dataSource(), "a").orElseThrow().createdAt())
          .isCloseTo(later, within(1, ChronoUnit.MILLIS));
    }
  }

  private OutboxSchema schema() {
    return OutboxSchema.of(database.dataSource());
  }

  /** What a node in that zone writes for an instant, read as if it were UTC. */
  private static Instant local(Instant instant, ZoneId zone) {
    return instant.atZone(zone).toLocalDateTime().toInstant(ZoneOffset.UTC);
  }

  private void insert(String id, Instant stored) throws SQLException {
    if (TableShape.columnSizes(database.dataSource()).isEmpty()) {
      Version1.create(database.dataSource());
    }
    try (Connection connection = database.dataSource().getConnection()) {
      Version1.insert(connection, id, "payload", null, stored);
    }
  }

  private outbox.contracts.store.EventStoreContract.Row row(String id) {
    return EventRow.find(database.dataSource(), id).orElseThrow();
  }

  private List<String> claim() throws SQLException {
    ClaimRequest all =
        new ClaimRequest("me", Duration.ofMinutes(1), 10, Long.MAX_VALUE, null, Duration.ZERO);
    try (Connection connection = database.dataSource().getConnection()) {
      return new JdbcOutboxRepository()
          .claim(connection, all).events().stream().map(each -> each.event().eventId()).toList();
    }
  }
}

package outbox.jdbc.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.H2Dialect;

class ParametersTest {

  private final Parameters parameters = new Parameters(new H2Dialect());

  @Test
  void aDurationIsCountedInMicrosecondsUpToItsLongest() {
    Duration longest = Duration.ofDays(24_000);
    assertThat(Parameters.micros(Duration.ofSeconds(2, 3_999))).isEqualTo(2_000_003);
    assertThat(Parameters.micros(Duration.ofSeconds(-2))).isEqualTo(-2_000_000);
    assertThat(Parameters.micros(longest)).isEqualTo(2_073_600_000_000_000L);
    assertThat(Parameters.micros(longest.plusDays(1))).isEqualTo(2_073_600_000_000_000L);
  }

  @Test
  void aListHasAsManyPlacesAsTheNextPowerOfTwoSoThatFewTextsExist() {
    NamedStatement statement = new NamedStatement("IN (:ids...)");
    assertThat(statement.sql(parameters.list("ids", List.of("a")))).isEqualTo("IN (?)");
    assertThat(statement.sql(parameters.list("ids", List.of("a", "b")))).isEqualTo("IN (?, ?)");
    assertThat(statement.sql(parameters.list("ids", List.of("a", "b", "c"))))
        .isEqualTo("IN (?, ?, ?, ?)");
  }

  @Test
  void aListWithoutElementsIsRefused() {
    NamedStatement statement = new NamedStatement("IN (:ids...)");
    assertThatThrownBy(() -> statement.sql(parameters.list("ids", List.of())))
        .hasMessage("list parameter ids has no values");
    assertThatThrownBy(() -> statement.sql(new Parameters(new H2Dialect())))
        .hasMessage("list parameter ids has no values");
  }

  @Test
  void thereIsRoomForManyAndEachIsFoundByItsName() throws Exception {
    StringBuilder text = new StringBuilder("SELECT CAST(0 AS BIGINT)");
    for (int i = 0; i < 40; i++) {
      text.append(" + :p").append(i);
      parameters.number("p" + i, 1L << i);
    }
    NamedStatement statement = new NamedStatement(text.toString());
    try (TestDatabase database = TestDatabase.create(Product.H2);
        Connection connection = database.dataSource().getConnection();
        PreparedStatement prepared = connection.prepareStatement(statement.sql(parameters))) {
      statement.bind(prepared, parameters);
      try (ResultSet row = prepared.executeQuery()) {
        row.next();
        assertThat(row.getLong(1)).isEqualTo((1L << 40) - 1);
      }
    }
    assertThatThrownBy(() -> parameters.value("q")).hasMessage("parameter q has no value");
  }

  @Test
  void aStatementHasOneMomentInAllItsPlaces() throws Exception {
    NamedStatement statement =
        new NamedStatement(
            "SELECT COUNT(DISTINCT moment) FROM (VALUES (:now)"
                + ", (:now)".repeat(200)
                + ") AS places (moment)");
    try (TestDatabase database = TestDatabase.create(Product.H2);
        Connection connection = database.dataSource().getConnection()) {
      try (PreparedStatement prepared = connection.prepareStatement(statement.sql(parameters))) {
        statement.bind(prepared, parameters);
        try (ResultSet row = prepared.executeQuery()) {
          row.next();
          assertThat(row.getInt(1)).isEqualTo(1);
        }
      }
    }
  }
}

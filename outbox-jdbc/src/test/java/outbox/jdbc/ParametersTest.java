package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import org.junit.jupiter.api.Test;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

class ParametersTest {

  @Test
  void aStatementHasOneMomentInAllItsPlaces() throws Exception {
    NamedStatement statement =
        new NamedStatement(
            "SELECT COUNT(DISTINCT moment) FROM (VALUES (:now)"
                + ", (:now)".repeat(200)
                + ") AS places (moment)");
    try (TestDatabase database = TestDatabase.create(Product.H2);
        Connection connection = database.dataSource().getConnection()) {
      Parameters parameters = new Parameters(Dialects.of(connection));
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

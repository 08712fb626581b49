package outbox.jdbc;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import outbox.jdbc.db.Product;

class MySqlCollationTest extends MariaDbCollationTest {
  @Override
  Product product() {
    return Product.MYSQL;
  }

  @Test
  void soWithTheCollationThatMySqlHasByDefault() throws SQLException {
    keysAreComparedExactlyAndFinalizingConvertsTheRest("utf8mb4_0900_ai_ci");
  }
}

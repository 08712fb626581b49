package outbox.jdbc.model;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
class MySqlJoinModelTest extends JoinModelContract {
  @Override
  StoredJoins open() {
    return new DatabaseJoins(Product.MYSQL);
  }
}

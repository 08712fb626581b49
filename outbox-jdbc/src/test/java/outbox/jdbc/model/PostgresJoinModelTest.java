package outbox.jdbc.model;

import outbox.jdbc.db.Product;

class PostgresJoinModelTest extends JoinModelContract {
  @Override
  StoredJoins open() {
    return new DatabaseJoins(Product.POSTGRES_NEWEST);
  }
}

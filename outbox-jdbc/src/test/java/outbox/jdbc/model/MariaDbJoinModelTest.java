package outbox.jdbc.model;

import outbox.jdbc.db.Product;

class MariaDbJoinModelTest extends JoinModelContract {
  @Override
  StoredJoins open() {
    return new DatabaseJoins(Product.MARIADB);
  }
}

package outbox.jdbc.model;

import outbox.jdbc.db.Product;

class H2JoinModelTest extends JoinModelContract {
  @Override
  StoredJoins open() {
    return new DatabaseJoins(Product.H2);
  }
}

package outbox.admin.data;

import outbox.jdbc.db.Product;

class H2OldestOperatedDatabaseTest extends OperatedDatabaseContract {
  H2OldestOperatedDatabaseTest() {
    super(Product.H2_OLDEST);
  }
}

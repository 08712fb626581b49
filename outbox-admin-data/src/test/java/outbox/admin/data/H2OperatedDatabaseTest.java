package outbox.admin.data;

import outbox.jdbc.db.Product;

class H2OperatedDatabaseTest extends OperatedDatabaseContract {
  H2OperatedDatabaseTest() {
    super(Product.H2);
  }
}

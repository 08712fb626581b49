package outbox.admin.data;

import outbox.jdbc.db.Product;

class MySqlOperatedDatabaseTest extends OperatedDatabaseContract {
  MySqlOperatedDatabaseTest() {
    super(Product.MYSQL);
  }
}

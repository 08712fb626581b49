package outbox.admin.data;

import outbox.jdbc.db.Product;

class MariaDbOperatedDatabaseTest extends OperatedDatabaseContract {
  MariaDbOperatedDatabaseTest() {
    super(Product.MARIADB);
  }
}

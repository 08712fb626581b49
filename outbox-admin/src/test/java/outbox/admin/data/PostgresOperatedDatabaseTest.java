package outbox.admin.data;

import outbox.jdbc.db.Product;

class PostgresOperatedDatabaseTest extends OperatedDatabaseContract {
  PostgresOperatedDatabaseTest() {
    super(Product.POSTGRES_NEWEST);
  }
}

package outbox.jdbc;

import outbox.jdbc.db.Product;

class MySqlVersion1TimesTest extends Version1TimesTest {
  @Override
  Product product() {
    return Product.MYSQL;
  }
}

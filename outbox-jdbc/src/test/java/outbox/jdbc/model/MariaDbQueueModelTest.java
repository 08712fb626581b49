package outbox.jdbc.model;

import outbox.jdbc.db.Product;

class MariaDbQueueModelTest extends QueueModelContract {
  @Override
  OutboxQueue open() {
    return new DatabaseQueue(Product.MARIADB);
  }
}

package outbox.jdbc.model;

import outbox.jdbc.db.Product;

class PostgresQueueModelTest extends QueueModelContract {
  @Override
  OutboxQueue open() {
    return new DatabaseQueue(Product.POSTGRES_NEWEST);
  }
}

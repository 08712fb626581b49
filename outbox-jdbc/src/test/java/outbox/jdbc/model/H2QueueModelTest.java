package outbox.jdbc.model;

import outbox.jdbc.db.Product;

class H2QueueModelTest extends QueueModelContract {
  @Override
  OutboxQueue open() {
    return new DatabaseQueue(Product.H2);
  }
}

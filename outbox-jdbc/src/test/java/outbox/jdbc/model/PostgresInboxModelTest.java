package outbox.jdbc.model;

import outbox.jdbc.db.Product;

class PostgresInboxModelTest extends InboxModelContract {
  @Override
  StoredInboxes open() {
    return new DatabaseInboxes(Product.POSTGRES_NEWEST);
  }
}

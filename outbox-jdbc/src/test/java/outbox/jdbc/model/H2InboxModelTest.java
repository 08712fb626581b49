package outbox.jdbc.model;

import outbox.jdbc.db.Product;

class H2InboxModelTest extends InboxModelContract {
  @Override
  StoredInboxes open() {
    return new DatabaseInboxes(Product.H2);
  }
}

package outbox.jdbc.model;

import outbox.jdbc.db.Product;

class MariaDbInboxModelTest extends InboxModelContract {
  @Override
  StoredInboxes open() {
    return new DatabaseInboxes(Product.MARIADB);
  }
}

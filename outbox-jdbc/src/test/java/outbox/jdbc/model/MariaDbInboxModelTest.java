package outbox.jdbc.model;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
class MariaDbInboxModelTest extends InboxModelContract {
  @Override
  StoredInboxes open() {
    return new DatabaseInboxes(Product.MARIADB);
  }
}

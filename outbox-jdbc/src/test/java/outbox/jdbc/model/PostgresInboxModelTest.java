package outbox.jdbc.model;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
class PostgresInboxModelTest extends InboxModelContract {
  @Override
  StoredInboxes open() {
    return new DatabaseInboxes(Product.POSTGRES_NEWEST);
  }
}

package outbox.jdbc.model;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
class MySqlQueueModelTest extends QueueModelContract {
  @Override
  OutboxQueue open() {
    return new DatabaseQueue(Product.MYSQL);
  }
}

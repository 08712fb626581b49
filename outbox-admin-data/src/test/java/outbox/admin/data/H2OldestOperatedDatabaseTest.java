package outbox.admin.data;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
class H2OldestOperatedDatabaseTest extends OperatedDatabaseContract {
  H2OldestOperatedDatabaseTest() {
    super(Product.H2_OLDEST);
  }
}

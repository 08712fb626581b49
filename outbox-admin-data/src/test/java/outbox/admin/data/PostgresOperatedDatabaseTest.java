package outbox.admin.data;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
class PostgresOperatedDatabaseTest extends OperatedDatabaseContract {
  PostgresOperatedDatabaseTest() {
    super(Product.POSTGRES_NEWEST);
  }
}

package outbox.jdbc;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
@On(value = Product.H2_OLDEST, upgraded = true)
class H2OldestUpgradedStoreTest extends JdbcStoreContract {}

package outbox.jdbc;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
@On(value = Product.H2, upgraded = true)
class H2UpgradedStoreTest extends JdbcStoreContract {}

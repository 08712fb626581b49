package outbox.jdbc;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
@On(value = Product.MYSQL, upgraded = true)
class MySqlUpgradedStoreTest extends JdbcStoreContract {}

package outbox.jdbc;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
@On(value = Product.MARIADB, upgraded = true)
class MariaDbUpgradedStoreTest extends JdbcStoreContract {}

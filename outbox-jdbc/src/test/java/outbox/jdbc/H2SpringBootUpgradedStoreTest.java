package outbox.jdbc;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
@On(value = Product.H2_SPRING_BOOT, upgraded = true)
class H2SpringBootUpgradedStoreTest extends JdbcStoreContract {}

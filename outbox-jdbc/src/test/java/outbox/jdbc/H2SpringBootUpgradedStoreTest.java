package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(value = Product.H2_SPRING_BOOT, upgraded = true)
class H2SpringBootUpgradedStoreTest extends JdbcStoreContract {}

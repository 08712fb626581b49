package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(value = Product.H2_OLDEST, upgraded = true)
class H2OldestUpgradedStoreTest extends JdbcStoreContract {}

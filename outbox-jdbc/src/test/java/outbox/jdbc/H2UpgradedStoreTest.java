package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(value = Product.H2, upgraded = true)
class H2UpgradedStoreTest extends JdbcStoreContract {}

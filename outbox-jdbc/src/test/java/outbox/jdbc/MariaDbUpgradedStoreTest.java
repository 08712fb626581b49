package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(value = Product.MARIADB, upgraded = true)
class MariaDbUpgradedStoreTest extends JdbcStoreContract {}

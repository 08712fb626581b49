package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(value = Product.POSTGRES_NEWEST, upgraded = true)
class PostgresUpgradedStoreTest extends JdbcStoreContract {}

package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(value = Product.POSTGRES_OLDEST, routines = true)
class PostgresOldestRoutinesTest extends JdbcStoreContract {}

package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(value = Product.POSTGRES_NEWEST, restricted = true)
class PostgresRestrictedOutboxTest extends JdbcOutboxContract {}

package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(Product.H2_OLDEST)
class H2OldestOutboxTest extends JdbcOutboxContract {}

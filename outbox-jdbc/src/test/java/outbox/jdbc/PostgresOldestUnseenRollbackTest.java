package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(Product.POSTGRES_OLDEST)
class PostgresOldestUnseenRollbackTest extends StatementTextContract {}

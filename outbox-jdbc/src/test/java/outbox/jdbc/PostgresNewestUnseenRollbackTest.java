package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(Product.POSTGRES_NEWEST)
class PostgresNewestUnseenRollbackTest extends StatementTextContract {}

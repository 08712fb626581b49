package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(Product.MYSQL)
class MySqlJoinSchemaTest extends JoinSchemaContract {}

package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(Product.MYSQL)
class MySqlEngineTest extends JdbcEngineContract {}

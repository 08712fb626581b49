package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(Product.MYSQL_BY_MARIADB_DRIVER)
class MySqlByMariaDbDriverEngineTest extends JdbcEngineContract {}

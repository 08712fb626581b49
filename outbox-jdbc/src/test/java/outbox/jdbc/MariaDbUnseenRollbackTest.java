package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(Product.MARIADB)
class MariaDbUnseenRollbackTest extends SwallowedTimeoutContract {}

package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(Product.H2)
class H2UnseenRollbackTest extends SwallowedDeadlockContract {}

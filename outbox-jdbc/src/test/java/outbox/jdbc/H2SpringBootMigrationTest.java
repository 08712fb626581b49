package outbox.jdbc;

import outbox.jdbc.db.Product;

@On(Product.H2_SPRING_BOOT)
class H2SpringBootMigrationTest extends MigrationContract {}

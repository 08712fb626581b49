package outbox.jdbc;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

@Tag("slow")
@On(value = Product.POSTGRES_NEWEST, restricted = true, routines = true)
class PostgresNewestRoutinesTest extends JdbcStoreContract {}

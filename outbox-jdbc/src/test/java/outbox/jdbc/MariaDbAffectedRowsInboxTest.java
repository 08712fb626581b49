package outbox.jdbc;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

/** The driver counts the rows that a statement changes, not those that it finds. */
@Tag("slow")
@On(value = Product.MARIADB, options = "useAffectedRows=true")
class MariaDbAffectedRowsInboxTest extends JdbcInboxContract {}

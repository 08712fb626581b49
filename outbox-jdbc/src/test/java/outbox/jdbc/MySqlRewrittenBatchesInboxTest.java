package outbox.jdbc;

import org.junit.jupiter.api.Tag;
import outbox.jdbc.db.Product;

/** The driver sends a batch as one text, and does not say how many rows each part changed. */
@Tag("slow")
@On(value = Product.MYSQL, options = "rewriteBatchedStatements=true")
class MySqlRewrittenBatchesInboxTest extends JdbcInboxContract {}

package outbox.jdbc;

import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.SqlServer;

@On(Product.SQLSERVER)
@EnabledIfEnvironmentVariable(
    named = SqlServer.URL,
    matches = ".+",
    disabledReason = "there is no embedded SQL Server: set " + SqlServer.URL + " to run this")
class SqlServerInboxTest extends JdbcInboxContract {}

package outbox.chaos;

import java.sql.SQLException;
import javax.sql.DataSource;
import outbox.chaos.operator.UrlDataSource;
import outbox.chaos.server.TriedServer;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;

/** Creates the tables of the library and of the application. */
final class Tables {
  private Tables() {}

  static void create(TriedServer server) throws SQLException {
    server.createDatabase(TriedServer.MAIN);
    application(server, TriedServer.MAIN);
    server.execute(
        TriedServer.MAIN, "CREATE TABLE rival (id VARCHAR(8) PRIMARY KEY, n INT NOT NULL)");
    server.execute(TriedServer.MAIN, "INSERT INTO rival VALUES ('0', 0), ('1', 0)");
    DataSource main = new UrlDataSource(server.operatorUrl(TriedServer.MAIN));
    OutboxSchema.of(main).withJoins().deploy();
    OutboxSchema.of(main).tableName("queue_event").deploy();
    InboxSchema.of(main).deploy();
    for (String tenant : TriedServer.TENANTS) {
      server.createDatabase(tenant);
      application(server, tenant);
      OutboxSchema.of(new UrlDataSource(server.operatorUrl(tenant))).deploy();
    }
  }

  private static void application(TriedServer server, String database) throws SQLException {
    server.execute(
        database,
        "CREATE TABLE business (id VARCHAR(64) PRIMARY KEY, topic VARCHAR(32) NOT NULL,"
            + " detail VARCHAR(128) NOT NULL)");
    server.execute(
        database, "CREATE TABLE effect (id VARCHAR(64) NOT NULL, node VARCHAR(32) NOT NULL)");
  }
}

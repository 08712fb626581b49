package db.migration;

import org.flywaydb.core.api.migration.BaseJavaMigration;
import org.flywaydb.core.api.migration.Context;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;

/** Creates the tables of the outbox in the deployment step of the application. */
@SuppressWarnings({"checkstyle:TypeName", "TypeName"})
public class V2__outbox extends BaseJavaMigration {

  @Override
  public void migrate(Context context) {
    SingleConnectionDataSource connection =
        new SingleConnectionDataSource(context.getConnection(), true);
    OutboxSchema.of(connection).withJoins().deploy();
    InboxSchema.of(connection).deploy();
  }
}

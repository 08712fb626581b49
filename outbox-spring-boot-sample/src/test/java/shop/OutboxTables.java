package shop;

import java.sql.Connection;
import liquibase.change.custom.CustomTaskChange;
import liquibase.database.Database;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.ValidationErrors;
import liquibase.resource.ResourceAccessor;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;

/** Creates the tables of the outbox as a change of Liquibase. */
public final class OutboxTables implements CustomTaskChange {

  @Override
  public void execute(Database database) {
    Connection connection = ((JdbcConnection) database.getConnection()).getUnderlyingConnection();
    SingleConnectionDataSource dataSource = new SingleConnectionDataSource(connection, true);
    OutboxSchema.of(dataSource).withJoins().deploy();
    InboxSchema.of(dataSource).deploy();
  }

  @Override
  public String getConfirmationMessage() {
    return "the tables of the outbox are there";
  }

  @Override
  public void setUp() {}

  @Override
  public void setFileOpener(ResourceAccessor resources) {}

  @Override
  public ValidationErrors validate(Database database) {
    return new ValidationErrors();
  }
}

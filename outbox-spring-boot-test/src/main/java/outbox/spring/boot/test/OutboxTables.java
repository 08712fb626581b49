package outbox.spring.boot.test;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import outbox.spi.StoreException;

/** The tables that tests share; their names have been checked by the outbox. */
final class OutboxTables {
  private final TestedOutboxes outboxes;
  private final String events;
  private final String messages;

  OutboxTables(TestedOutboxes outboxes, String events, String messages) {
    this.outboxes = outboxes;
    this.events = events;
    this.messages = messages;
  }

  /** Deletes what the tests before have left, in a transaction of its own. */
  void clean() {
    DataSource dataSource = outboxes.own().dataSource();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("DELETE FROM " + events);
      if (outboxes.hasInbox()) {
        statement.executeUpdate("DELETE FROM " + messages);
      }
      if (!connection.getAutoCommit()) {
        connection.commit();
      }
    } catch (SQLException e) {
      throw new StoreException("the tables of the outbox cannot be cleaned before the test", e);
    }
  }
}

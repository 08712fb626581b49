package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.pool.BorrowedConnection;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.UnusableSchemaException;
import outbox.spi.StoreException;

/**
 * Whether the transactions of an outbox can complete the messages of an inbox, which they do by the
 * connection that they give to its handlers.
 */
final class SharedDatabase {
  private static final String REFUSAL =
      "publishingTo(outbox) needs an outbox on the database of the inbox, whose messages are"
          + " completed in its transactions; ";
  private static final String WAY_OUT =
      "; build both on the same DataSource, or leave publishingTo(…) out";

  private SharedDatabase() {}

  /**
   * Two pools of one database may serve the two, but not two databases.
   *
   * @throws IllegalStateException if they are on two, or the outbox does not see the inbox's table
   */
  static void require(DataSource inbox, DataSource outbox, TableName table) {
    if (inbox == outbox) {
      return;
    }
    try (Connection own = inbox.getConnection();
        Connection other = outbox.getConnection()) {
      requireSame(name(own, table), name(other, table));
      requireTable(other, table);
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached for publishingTo(…)", e);
    }
  }

  private static void requireSame(String inbox, String outbox) {
    if (!inbox.equalsIgnoreCase(outbox)) {
      throw new IllegalStateException(
          REFUSAL + "this one is on " + outbox + " and the inbox on " + inbox + WAY_OUT);
    }
  }

  /** On MariaDB and MySQL a schema is a catalog: a table named with its own is seen from all. */
  private static String name(Connection connection, TableName table) throws SQLException {
    Dialect dialect = Dialects.of(connection);
    return dialect.schemasAreCatalogs() && table.schema() != null
        ? dialect.product()
        : dialect.product() + " " + connection.getCatalog();
  }

  private static void requireTable(Connection outbox, TableName table) {
    try {
      InboxSchema.of(BorrowedConnection.lent(outbox)).tableName(table.toString()).require();
    } catch (UnusableSchemaException e) {
      throw new IllegalStateException(
          REFUSAL + "the connections of this one do not see table " + table + WAY_OUT, e);
    }
  }
}

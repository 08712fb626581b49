package outbox.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcOutbox;

/** The business: stores an order and publishes its event in one transaction. Thread-safe. */
final class Shop {
  private final JdbcOutbox outbox;

  Shop(JdbcOutbox outbox) {
    this.outbox = outbox;
  }

  static void createTable(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE orders ("
              + "order_id VARCHAR(36) PRIMARY KEY, customer VARCHAR(64) NOT NULL, cents INT NOT NULL)");
    }
  }

  /**
   * Places the order.
   *
   * @param beforeCommit what happens once order and event are written; if it throws, neither stays
   */
  void place(Order order, EventEnvelope event, BeforeCommit beforeCommit) throws Exception {
    outbox.inTransaction(
        connection -> {
          insert(connection, order);
          outbox.publish(event);
          beforeCommit.run();
        });
  }

  private static void insert(Connection connection, Order order) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO orders (order_id, customer, cents) VALUES (?, ?, ?)")) {
      insert.setString(1, order.id());
      insert.setString(2, order.customer());
      insert.setInt(3, order.cents());
      insert.executeUpdate();
    }
  }

  /** The last step inside the transaction. */
  @FunctionalInterface
  interface BeforeCommit {
    void run() throws Exception;
  }

  /** The customer changed their mind before the commit. */
  static final class OrderCancelledException extends Exception {
    private static final long serialVersionUID = 1L;

    OrderCancelledException() {
      super("the customer changed their mind");
    }
  }
}

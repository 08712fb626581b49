package outbox.chaos.node;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Random;
import javax.sql.DataSource;
import outbox.chaos.ledger.Topic;

/** The rows of the application, written in the transaction of the event: they are the truth. */
final class Business {
  private static final int ROLLBACK_PERIOD = 10;

  private Business() {}

  /** Runs a transaction of the application itself, which rolls back now and then. */
  static void inTransaction(DataSource pool, Random random, Body body) throws Exception {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      try {
        body.run(connection);
        if (random.nextInt(ROLLBACK_PERIOD) == 0) {
          connection.rollback();
        } else {
          connection.commit();
        }
      } catch (Exception e) {
        connection.rollback();
        throw e;
      } finally {
        connection.setAutoCommit(true);
      }
    }
  }

  static void insert(Connection connection, String id, Topic topic, String detail)
      throws SQLException {
    update(
        connection,
        "INSERT INTO business (id, topic, detail) VALUES (?, ?, ?)",
        id,
        topic.label(),
        detail);
  }

  /** A join is known by its group, and has so many steps. */
  static void insertJoin(Connection connection, String group, int good, int bad)
      throws SQLException {
    update(
        connection,
        "INSERT INTO business (id, topic, detail) VALUES (?, ?, ?)",
        group,
        "join",
        good + "+" + bad);
  }

  /** The effect of a call, which nothing but its transaction keeps from being there twice. */
  static void effect(Connection connection, String id, String node) throws SQLException {
    update(connection, "INSERT INTO effect (id, node) VALUES (?, ?)", id, node);
  }

  static void touch(Connection connection, int rival) throws SQLException {
    update(connection, "UPDATE rival SET n = n + 1 WHERE id = ?", String.valueOf(rival));
  }

  private static void update(Connection connection, String sql, String... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setString(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  /** What happens in a transaction. */
  @FunctionalInterface
  interface Body {
    void run(Connection connection) throws Exception;
  }
}
